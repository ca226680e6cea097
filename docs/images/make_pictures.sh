#!/bin/sh
# The pictures of the README, from their record: `cmake --build build --target pictures`, or
#     docs/images/make_pictures.sh SPMODEL [FOLDER]    FOLDER/analyze.svg, the report; FOLDER/roofline.svg and its script,
#                                                      FOLDER/roofline.gp (default docs/images)
# The test readme_picture compares them. Without gnuplot there is no roofline.svg.
set -eu
[ $# -ge 1 ] || { sed -n '2,4s/^# \{0,1\}//p' "$0" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
program=$1 folder=${2:-$here}
LC_ALL=C.UTF-8 "$program" plot --report --color always "$here/roofline.json" >"$folder/report.part"
LC_ALL=C awk -v command="spmodel analyze gen:laplace3d:240+permuted:7 --machine zen4-vm-2c" \
    -v about="two processors of a virtual machine, AMD Zen 4, without counters; 2026-11-21" \
    -f "$here/terminal.awk" "$folder/report.part" >"$folder/analyze.svg"
rm "$folder/report.part"
"$program" plot -q --kind roofline --term gp -o "$folder/roofline.gp" "$here/roofline.json"
command -v gnuplot >/dev/null || { echo "make_pictures.sh: no gnuplot: only roofline.gp was made" >&2; exit 0; }
"$program" plot -q --kind roofline -o "$folder/roofline.svg.part" --term svg "$here/roofline.json"
sed 's/^[ \t]*//; s/ *<title>gnuplot_plot_[^<]*<\/title>//; /^$/d' "$folder/roofline.svg.part" >"$folder/roofline.svg"
rm "$folder/roofline.svg.part"
