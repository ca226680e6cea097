#!/bin/sh
# No text of any plot is clipped or lies over another. One picture of four, with `full` the
# others. Usage: plot_texts.sh SPMODEL CHECK_PLOTS RECORDS [full]
set -eu
command -v gnuplot >/dev/null || { echo "SKIPPED: gnuplot is not installed"; exit 77; }
command -v python3 >/dev/null || { echo "SKIPPED: there is no python3"; exit 77; }
if [ "${4:-}" = full ]; then others=1; else others=0; fi
SHARE=4 OTHERS=$others python3 "$2" "$1" "$3"
