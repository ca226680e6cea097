#!/bin/sh
# Are losses what they are said to be? Faults are put into runs on purpose, an unequal schedule, fill, permuted columns:
# what a fault costs (faulty time - clean time) beside the growth of the losses that should name it. The goal is a
# difference of at most 3 % of the faulty time.
#     bench/faults.sh SPMODEL [ROUNDS]
set -eu
spmodel=$1 rounds=${2:-3}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
run() { # run NAME ARGUMENTS...: the CSV of one analysis
    name=$1
    shift
    "$spmodel" analyze -q --no-plots --csv --out "$dir" "$@" >"$dir/$name.csv"
}
printf '%-10s %-34s %10s %10s %10s %10s %9s\n' fault run 'clean ms' 'faulty ms' 'costs ms' 'named ms' 'off by %'
compare() { # compare FAULT TEXT LOSSES: LOSSES are columns of the CSV, separated by +
    awk -F, -v fault="$1" -v text="$2" -v losses="$3" '
        { gsub(/"[^"]*"/, "text") } # may have commas in it
        FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; file++ }
        FNR == 2 { t[file] = $at["time_s"]; n = split(losses, name, "+"); for (i = 1; i <= n; i++) sum[file] += $at[name[i]] }
        END { costs = t[2] - t[1]; named = sum[2] - sum[1]
              printf "%-10s %-34s %10.3f %10.3f %10.3f %10.3f %9.1f\n", fault, text, 1e3 * t[1], 1e3 * t[2], 1e3 * costs,
                  1e3 * named, 100 * (named - costs) / t[2] }' "$dir/clean.csv" "$dir/faulty.csv"
}
for round in $(seq "$rounds"); do
    run clean gen:arrow:2000000 && run faulty --schedule rows gen:arrow:2000000
    compare schedule 'arrow:2000000 by rows' loss_imbalance_s
    run clean --format sell:32,1 gen:band:1000000:12 && run faulty --format sell:32,1 gen:band:1000000:40:0.3 # 25 entries a row
    compare fill 'band:1000000:40:0.3 sell:32,1' loss_padding_s
    run clean gen:laplace3d:150 && run faulty gen:laplace3d:150+permuted:7
    compare columns 'laplace3d:150 permuted' loss_extra_x_s+loss_in_core_s
done
