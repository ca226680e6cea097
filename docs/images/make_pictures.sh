#!/bin/sh
# The picture of the README, from its record: `cmake --build build --target pictures`, or
#     docs/images/make_pictures.sh SPMODEL [FOLDER]    FOLDER/roofline.svg and its script, FOLDER/roofline.gp (default docs/images)
# The test readme_picture compares both. Without gnuplot the script alone is made.
set -eu
[ $# -ge 1 ] || { sed -n '2,4s/^# \{0,1\}//p' "$0" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
program=$1 folder=${2:-$here}
"$program" plot -q --kind roofline --term gp -o "$folder/roofline.gp" "$here/roofline.json"
command -v gnuplot >/dev/null || { echo "make_pictures.sh: no gnuplot: only roofline.gp was made" >&2; exit 0; }
"$program" plot -q --kind roofline -o "$folder/roofline.svg.part" --term svg "$here/roofline.json"
sed 's/^[ \t]*//; s/ *<title>gnuplot_plot_[^<]*<\/title>//; /^$/d' "$folder/roofline.svg.part" >"$folder/roofline.svg"
rm "$folder/roofline.svg.part"
