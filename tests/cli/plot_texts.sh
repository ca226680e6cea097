#!/bin/sh
# No text of any plot is clipped or lies over another. Usage: plot_texts.sh SPMODEL CHECK_PLOTS RECORDS
set -eu
command -v gnuplot >/dev/null || { echo "SKIPPED: gnuplot is not installed"; exit 77; }
command -v python3 >/dev/null || { echo "SKIPPED: there is no python3"; exit 77; }
python3 "$2" "$1" "$3"
