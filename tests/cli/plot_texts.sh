#!/bin/sh
# No text of any plot is clipped or lies over another. Usage: plot_texts.sh SPMODEL CHECK_PLOTS RECORDS [full]
set -eu
command -v gnuplot >/dev/null || { echo "SKIPPED: gnuplot is not installed"; exit 77; }
command -v python3 >/dev/null || { echo "SKIPPED: there is no python3"; exit 77; }
if [ "${4:-}" = full ]; then share=1; else share=4; fi
SHARE=$share python3 "$2" "$1" "$3"
