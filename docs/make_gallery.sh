#!/bin/sh
# The gallery: every kind of picture, made by the program, with the commands that made it.
#     docs/make_gallery.sh SPMODEL [FOLDER]                 FOLDER/gallery.md and FOLDER/images/gallery-*.svg (default docs)
#     docs/make_gallery.sh --no-measure SPMODEL [FOLDER]    only pictures in which nothing was measured here
#     docs/make_gallery.sh --small SPMODEL [FOLDER]         these, of smaller matrices: the same page and words (a test's)
#     docs/make_gallery.sh --page FOLDER                    nothing is run: FOLDER/gallery.md alone
# Needs gnuplot, but for --page. Some minutes; without measurements seconds.
set -eu
measure=yes run=yes smaller=
case ${1:-} in
--no-measure) measure=no && shift ;;
--small)
    measure=no
    smaller='s/laplace3d:60/laplace3d:30/g; s/hpcg:80/hpcg:30/; s/powerlaw:13/powerlaw:10/; s/--only threads=48/& --only partition=0,4/'
    shift
    ;;
--page) run=no && shift ;;
esac
[ $# -ge 1 ] || { sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 2; }
[ $run = yes ] || set -- spmodel "$1"
source=$(cd "$(dirname "$0")/.." && pwd)
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1") folder=${2:-$source/docs}
[ $run = no ] || command -v gnuplot >/dev/null || { echo "make_gallery.sh: gnuplot is not installed" >&2; exit 4; }
mkdir -p "$folder/images"
folder=$(cd "$folder" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export LC_ALL=C HOME="$dir" XDG_DATA_HOME="$dir" XDG_CACHE_HOME="$dir" PATH="$(dirname "$program"):$PATH"
unset SPMODEL_STORE SPMODEL_FAULT SPMODEL_COMMIT GITHUB_SHA CI_COMMIT_SHA GIT_COMMIT || true
ln -s "$source/tests" "$dir/tests"
cd "$dir"
page=$folder/gallery.md.part
: >"$page"

say() { printf '%s\n' "$@" >>"$page"; }
# typed COMMAND...: each is run here and stands on the page
typed() {
    say '' '```sh'
    for line in "$@"; do
        printf '%s\n' "$line" >>"$page"
        [ $run = yes ] || continue
        eval "$(printf '%s\n' "$line" | sed "$smaller")" >out 2>err || { cat out err >&2; echo "make_gallery.sh: failed: $line" >&2; exit 7; }
    done
    say '```'
}
# Without blanks, titles of curves, values on hover (a picture in a document has none) and empty groups: half the size,
# the same picture.
slim() {
    sed 's/^[ \t]*//; s/ stroke-linecap="butt" stroke-linejoin="miter"//g; s/ *<title>gnuplot_plot_[^<]*<\/title>//; s/rgb( *\([0-9]*\), *\([0-9]*\), *\([0-9]*\))/rgb(\1,\2,\3)/g; /^$/d' |
        awk '/^<g class="value">/ { hover = $0; getline; if (/opacity=.0\.00.\/>/) next; line[++n] = hover } { line[++n] = $0 } /^<\/g>$/ && line[n - 1] ~ /^<g [^>]*>$/ { n -= 2 } END { for (i = 1; i <= n; i++) print line[i] }'
}
# picture NAME TEXT: NAME.svg as it lies here
picture() {
    [ $run = no ] || slim <"$1.svg" >"$folder/images/gallery-$1.svg"
    say '' "![$2](images/gallery-$1.svg)" ''
}
quick='--no-plots --budget 200ms --threads 2 --machine zen4-vm-2c'

same_everywhere() {
    say '' '## α over the size of the cache' '' \
        'How often x is loaded in a cache of any size: a 7-point stencil as it came, shuffled, and after reverse Cuthill-McKee.' \
        'Vertical lines: the machine'"'"'s caches, as stated and as found effective; large marks: the runs.'
    typed "spmodel analyze $quick --no-hints --out natural gen:laplace3d:60" \
        "spmodel analyze $quick --no-hints --out permuted gen:laplace3d:60+permuted:7" \
        "spmodel analyze $quick --no-hints --out rcm gen:laplace3d:60+permuted:7 --reorder rcm" \
        'spmodel plot --kind alpha natural/*.json permuted/*.json rcm/*.json -o alpha.svg'
    picture alpha 'alpha over cache size of three orders of a stencil, simulated'

    say '## β over C and σ' '' \
        'The share of the entries of SELL-C-σ that is not fill, for a power-law graph. The frame is the format that was run.'
    typed "spmodel analyze $quick --out sell gen:powerlaw:13:8 --format sell:8,256" \
        'spmodel plot --kind beta sell/*.json -o beta.svg'
    picture beta 'map of beta over chunk height and sorting window, modelled'

    say '## Where the entries lie' '' 'The 7-point stencil of a cube of 16 points a side (`--term txt` draws it in the terminal):'
    typed "spmodel analyze $quick --no-hints --out spy gen:laplace3d:16" \
        'spmodel plot --kind spy spy/*.json -o spy.svg'
    picture spy 'spy plot of a stencil'
    say '## A GPU level by level' '' \
        'The requests of each kernel, simulated through the caches of a described GPU. Each level has its roof; the lowest point binds (`docs/gpu.md`).'
    typed 'spmodel model gen:hpcg:80 --machine v100-p --format all --plot levels.svg'
    picture levels 'bytes and roofs of L1, L2 and memory for SpMV kernels on a V100, modelled'

    say '## Predicted over counted' '' \
        'Bytes that were counted on an A64FX (`docs/validation.md`); 1 is what was counted.'
    typed 'spmodel validate tests/data/a64fx-counters.csv --map a64fx-papi --only matrix=ecology1,atmosmodd,debr,mycielskian13,mycielskian15 --only partition=0 --plot predicted.svg'
    picture predicted 'predicted over counted bytes of five matrices on an A64FX, by one and 48 threads'

    say '### Over the ways that the matrix has' '' '`none`: the whole L2 for all arrays.'
    typed 'spmodel validate tests/data/a64fx-counters.csv --map a64fx-papi --only matrix=ecology1,mycielskian13 --only threads=48 --json=divided.json' \
        'spmodel plot --kind ways divided.json -o ways.svg'
    picture ways 'bytes read over ways of L2 kept for the matrix, two matrices by 48 threads of an A64FX'

    say '## Over ranks' '' 'A 7-point stencil over MPI ranks (`docs/distributed.md`): time, who sends to whom, and how evenly they work.'
    typed 'spmodel model gen:laplace3d:60 --ranks 2,4,...,256 --ranks-per-node 32 --partition nnz --machine icx-8360y --network slingshot-10,shm --json=ranks.json' \
        'spmodel plot --kind scaling ranks.json -o scaling.svg' 'spmodel plot --kind halo ranks.json -o halo.svg' \
        'spmodel plot --kind ranks ranks.json -o ranks.svg'
    picture scaling 'predicted time of a distributed SpMV over ranks, with its parts'
    picture halo 'heat map of bytes between 256 ranks, predicted'
    picture ranks 'histogram of the own work of 256 ranks, predicted'

    say '## Roofline, losses, saturation' '' \
        'An invented record. Filled points are measured, hollow ones modelled; the line that joins them is horizontal where bytes are lost' \
        'and vertical where time is. Measured ceilings are solid, those of data sheets dotted; what is far above is named at the top.'
    typed 'spmodel plot --kind roofline tests/data/record-kkt_power.json -o roofline.svg'
    picture roofline 'roofline of a constructed record, losses beside it'
    say 'The losses add up to the measured time; the rest may be negative:'
    typed 'spmodel plot --kind losses tests/data/record-kkt_power.json -o losses.svg'
    picture losses 'waterfall of where the time goes, of a constructed record'
    say 'Bandwidth over threads:'
    typed 'spmodel plot --kind saturation tests/data/record-kkt_power.json -o saturation.svg'
    picture saturation 'bandwidth over threads of a constructed record'
}

measured_here() {
    here='--no-plots --machine here.json'
    say '## Measured' '' \
        "The following were measured on $(date -u +%Y-%m-%d) on $(nproc) processors of a machine with $(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -1)$(grep -q '^flags.* hypervisor' /proc/cpuinfo && echo ' (virtual)') and without counters: bytes are simulated."
    typed 'spmodel machine measure --quick --name here -o here.json'
    say '' '### Before and after' '' 'A shuffled stencil, the same after RCM, and then in SELL with unit strides.'
    typed "spmodel analyze $here --out m1 gen:laplace3d:120+permuted:7" \
        "spmodel analyze $here --out m2 gen:laplace3d:120+permuted:7 --reorder rcm" \
        "spmodel analyze $here --out m3 gen:laplace3d:120+permuted:7 --reorder rcm --format sellu:8,1" \
        'spmodel plot m1/*.json m2/*.json m3/*.json -o steps.svg'
    picture steps 'roofline of three records with their losses, measured'
    say '### Where roofline, ECM and measurement part' '' 'Band matrices from the L1 to memory.'
    typed "for n in 300 1000 3000 10000 30000 100000 300000 1000000 3000000; do spmodel analyze $here --no-hints --out sizes gen:band:\$n:10; done" \
        'spmodel plot --kind sizes sizes/*.json -o sizes.svg'
    picture sizes 'performance of a band matrix over its size by roofline, by ECM and measured'
    say '### Several right-hand sides' '' 'Balance and speed over r, beside what the model expects.'
    typed "spmodel analyze $here --no-hints --out rhs --rhs 1,2,4,8,16,32 gen:hpcg:72" \
        'spmodel plot --kind balance rhs/*.json -o balance.svg'
    picture balance 'code balance and performance over the number of right-hand sides, measured'
    say '### History with verdicts' '' \
        'Records of five processes each: time, and bandwidth beside the load-only roof. Dotted lines: another commit. The last two were slowed down on purpose.'
    series="spmodel analyze $here --no-hints --runs 5 --budget 500ms --out history gen:laplace3d:110"
    typed "for commit in a1 a2 a3 a4 a5 a6; do SPMODEL_COMMIT=\$commit $series; done" \
        "for commit in b1 b2; do SPMODEL_COMMIT=\$commit SPMODEL_FAULT=order $series; done" \
        'spmodel track add --store history-store history' \
        'spmodel track check --store history-store || echo "exit code $?"' 'spmodel track plot --store history-store'
    [ $run = no ] || mv history-*.svg history.svg
    picture history 'time and bandwidth of a series, with verdicts, measured'
    say '### A campaign' '' 'Matrices and configurations by a file.'
    cat >suite.txt <<'S'
matrix gen:laplace2d:400 gen:laplace3d:40 gen:laplace3d:90 gen:hpcg:30 gen:hpcg:64 gen:powerlaw:14:8 gen:powerlaw:17:8
matrix gen:random:100000:8 gen:random:800000:6 gen:band:200000:20:0.5 gen:laplace3d:90+permuted:7 gen:block:40000:8:4
run crs: --budget 300ms --machine here.json
run sell: --budget 300ms --machine here.json --format sell:8,64 --no-hints
S
    say '' '<!-- file: suite.txt -->' '```text'
    cat suite.txt >>"$page"
    say '```'
    typed 'spmodel campaign suite.txt'
    [ $run = no ] || mv suite.svg campaign.svg
    picture campaign 'performance, fraction of the roof and alpha over n_nz, and hints that fired, measured'
}

say '# Gallery' '' \
    'Every kind of picture, with the commands that made it (`docs/make_gallery.sh`). `--term gp` or `--script` writes the gnuplot script with its data;' \
    '`--term` also takes `pdf`, `png` and `txt` (80 columns).'
same_everywhere
[ $measure = no ] || measured_here
mv "$page" "$folder/gallery.md"
