# spmodel plot 'roofline of 1 record, spmodel 0.1.0', drawn by: gnuplot THIS_FILE
# Data and look are all in here: change what you like. Another terminal: change the next lines.
set terminal svg size 1180,620 font 'sans-serif,13' noenhanced background '#ffffff'
set output './roofline.svg'
set encoding utf8
set border 3 lc rgb '#888888' lw 1
set tics nomirror out textcolor rgb '#333333'
set xlabel textcolor rgb '#333333'
set ylabel textcolor rgb '#333333'
set title textcolor rgb '#333333'
set key textcolor rgb '#333333' samplen 2 spacing 1.15
set grid back lt 1 lw 0.8 lc rgb '#dddddd', lt 1 lw 0.4 lc rgb '#dddddd'
# intensity flop/B, lo, hi, rate Gflop/s, lo, hi, measured, number
$P0 << EOD
0.12484395 0.12484395 0.12484395 4.2 4.2 4.2 0 1
0.031055901 0.031055901 0.031055901 1.05 1.05 1.05 0 2
0.031055901 0.031055901 0.031055901 0.511 0.482112 0.54475932 1 3
EOD
set multiplot
set xlabel 'intensity, flop/B of DRAM traffic'
set lmargin at screen 0.0813559; set rmargin at screen 0.550847; set bmargin at screen 0.204839; set tmargin at screen 0.925806
set key at screen 0.01,0.0887097 left top Left reverse vertical maxcols 1 maxrows 3 samplen 2 font ',10'
# intensity flop/B, rate Gflop/s
$C0 << EOD
0.01242236 0.43850932
3.2011331 113
EOD
# intensity flop/B, rate Gflop/s
$C1 << EOD
0.01242236 0.4173913
3.3630952 113
EOD
# intensity flop/B, lowest and highest rate Gflop/s
$B << EOD
0.0124224 0.414907 0.419876
0.0136242 0.455047 0.460497
0.0149422 0.49907 0.505047
0.0163878 0.547353 0.553908
0.0179732 0.600306 0.607496
0.0197121 0.658383 0.666268
0.0216191 0.722078 0.730726
0.0237106 0.791935 0.80142
0.0260045 0.868551 0.878953
0.0285203 0.952579 0.963987
0.0312795 1.04474 1.05725
0.0343056 1.14581 1.15953
0.0376245 1.25666 1.27171
0.0412645 1.37823 1.39474
0.0452566 1.51157 1.52967
0.049635 1.65781 1.67766
0.0544369 1.81819 1.83997
0.0597034 1.99409 2.01797
0.0654794 2.18701 2.2132
0.0718142 2.39859 2.42732
0.0787618 2.63065 2.66215
0.0863816 2.88515 2.9197
0.0947386 3.16427 3.20216
0.103904 3.4704 3.51196
0.113956 3.80614 3.85172
0.124981 4.17436 4.22436
0.137072 4.57821 4.63304
0.150333 5.02113 5.08126
0.164877 5.5069 5.57285
0.180828 6.03966 6.11199
0.198322 6.62397 6.7033
0.217509 7.2648 7.3518
0.238552 7.96763 8.06305
0.261631 8.73846 8.84311
0.286942 9.58386 9.69538
0.314702 9.69538 9.69538
0.345148 9.69538 9.69538
0.378539 9.69538 9.69538
0.415161 9.69538 9.69538
0.455325 9.69538 9.69538
0.499376 9.69538 9.69538
EOD
# intensity flop/B, rate Gflop/s
$C2 << EOD
3.2011331 113
6.4022663 113
EOD
set title 'gen:laplace3d:240+permuted:7  CRS  f64/i32, 2 threads, zen4-vm-2c'
set logscale xy; set xrange [0.0124224:0.499376]; set yrange [0.192845:9.69538]; set clip two
set ylabel 'Gflop/s' offset 1,0
set xtics ('0.02' 0.02, '0.05' 0.05, '0.1' 0.1, '0.2' 0.2)
set ytics ('0.2' 0.2, '0.5' 0.5, '1' 1, '2' 2, '5' 5)
set label '1' at 0.137946,3.73348 center rotate by 0.0 font ',10' tc rgb '#333333' front
set label '2' at 0.034315,0.933369 center rotate by 0.0 font ',10' tc rgb '#333333' front
set label '3' at 0.0341324,0.511 center rotate by 0.0 font ',10' tc rgb '#333333' front
set label 'DRAM load of its arrays 33.6 GB/s' at 0.068286,2.06651 center rotate by 37.3 font ',10' tc rgb '#4477aa' front
set label 'DRAM triad 35.3 ±3.0 GB/s measured' at 0.061315,2.40312 center rotate by 37.3 font ',10' tc rgb '#4477aa' front
set label 'DP FMA 113 ±21 Gflop/s measured, above' at 0.0287398,8.88185 center rotate by 0.0 font ',10' tc rgb '#333333' front
plot $C0 using 1:2 with lines lw 1.2 dt 1 lc rgb '#4477aa' notitle, \
    $B using 1:2:3 with filledcurves fc rgb '#4477aa' fs transparent solid 0.25 noborder notitle, \
    $C1 using 1:2 with lines lw 2 dt 1 lc rgb '#4477aa' notitle, \
    $C2 using 1:2 with lines lw 2 dt 1 lc rgb '#333333' notitle, \
    $P0 using 1:4 with lines lw 1 lc rgb '#cc3344' notitle, \
    $P0 using ($7 == 1 ? $1 : NaN):4:2:3:5:6 with xyerrorbars pt 7 ps 0.1 lw 1 lc rgb '#cc3344' notitle, \
    $P0 using ($7 == 1 ? NaN : $1):4 with points pt 7 ps 0.9 lc rgb '#ffffff' notitle, \
    $P0 using ($7 == 1 ? NaN : $1):4 with points pt 6 ps 0.9 lw 1.5 lc rgb '#cc3344' notitle, \
    $P0 using ($7 == 1 ? $1 : NaN):4 with points pt 7 ps 0.9 lc rgb '#cc3344' notitle, \
    $P0 using 1:4:('gen:laplace3d:240+permuted:7  CRS, '.($7 == 1 ? 'measured' : 'model').sprintf(': %.3g Gflop/s at %.3g B/flop', $4, 1 / $1)) with labels hypertext point pt 7 ps 1.3 lc rgb '#ffffffff' notitle, \
    keyentry with points pt 6 ps 1.1 lw 1.5 lc rgb '#cc3344' title '1  model, x once  4.20 Gflop/s, bytes modelled', \
    keyentry with points pt 6 ps 1.1 lw 1.5 lc rgb '#cc3344' title '2  model, x as simulated  1.05 Gflop/s, bytes modelled', \
    keyentry with points pt 7 ps 1.1 lw 1.5 lc rgb '#cc3344' title '3  measured  0.511 Gflop/s, bytes simulated'
unset logscale; unset label; unset object; unset grid
set lmargin at screen 0.69; set rmargin at screen 0.99; set bmargin at screen 0.13; set tmargin at screen 0.925806
set border 1 lc rgb '#888888' lw 1
set xtics out nomirror offset 0,0
set ytics scale 0 out offset 0,0
set title 'where the time goes'
# start, end, row, colour
$L << EOD
0 45.9 0 0x4477aa
45.9 184 1 0xccbb44
184 377 2 0xee9988
377 377 3 0x888888
0 377 4 0x333333
EOD
set xrange [0:388.31]; set yrange [4.6:-0.6]
set xlabel 'time of one execution, ms'; unset ylabel
set format x '%g'; set xtics 100; unset key
set style fill solid 0.85 noborder
set ytics ('minimum traffic' 0, 'x loaded 43.1 times' 1, 'waiting for gathers' 2, 'not explained' 3, 'in all' 4) font ',11'
set rmargin at screen 0.861805
set label '46 ms  12 % modelled' at graph 1, first 0 left offset char 0.7,0 font ',11' tc rgb '#333333' front
set label '138 ms  37 % simulated' at graph 1, first 1 left offset char 0.7,0 font ',11' tc rgb '#333333' front
set label '193 ms  51 % measured' at graph 1, first 2 left offset char 0.7,0 font ',11' tc rgb '#333333' front
set label '0 ms  0 % measured' at graph 1, first 3 left offset char 0.7,0 font ',11' tc rgb '#333333' front
set label '377 ms  measured' at graph 1, first 4 left offset char 0.7,0 font ',11' tc rgb '#333333' front
set label 'minimum traffic: 46 ms  12 % modelled' at 22.95,0 hypertext point pt 5 ps 3 lc rgb '#ffffffff'
set label 'x loaded 43.1 times: 138 ms  37 % simulated' at 114.95,1 hypertext point pt 5 ps 3 lc rgb '#ffffffff'
set label 'waiting for gathers: 193 ms  51 % measured' at 280.5,2 hypertext point pt 5 ps 3 lc rgb '#ffffffff'
set label 'not explained: 0 ms  0 % measured' at 377,3 hypertext point pt 5 ps 3 lc rgb '#ffffffff'
set label 'in all: 377 ms  measured' at 188.5,4 hypertext point pt 5 ps 3 lc rgb '#ffffffff'
plot $L using (($1 + $2) / 2):3:1:2:($3 - 0.32):($3 + 0.32):4 with boxxyerror lc rgb variable notitle, \
    $L using 2:($3 + 0.32):(0):(0.36) every ::::(|$L| - 3) with vectors nohead lw 0.8 lc rgb '#888888' notitle
unset multiplot
set output
