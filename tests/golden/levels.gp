# spmodel plot 'levels of 1 record, spmodel 0.1.0', drawn by: gnuplot THIS_FILE
# Data and look are all in here: change what you like. Another terminal: change the next lines.
set terminal dumb size 80,34 noenhanced mono
set output './picture'
set encoding utf8
set border 3 lc rgb '#888888' lw 1
set tics nomirror out textcolor rgb '#333333'
set xlabel textcolor rgb '#333333'
set ylabel textcolor rgb '#333333'
set title textcolor rgb '#333333'
set key textcolor rgb '#333333' samplen 2 spacing 1.15
set title 'constructed   SpMV  f64/i32  warm   levels of some-gpu   (constructed)'
set logscale xy; set samples 2000
set xlabel 'intensity, flop for each byte of the level'; set ylabel 'Gflop/s'
set xrange [0.0175:0.4]; set yrange [60:316.979]
set xtics ('0.02' 0.02, '0.05' 0.05, '0.1' 0.1, '0.2' 0.2)
set ytics ('70' 70, '100' 100, '150' 150, '200' 200, '300' 300)
set key off; set lmargin 10; set rmargin 2; set bmargin 10; set tmargin 1
set label 'L2 load 4000 GB/s stated' at first 0.0684993,293.881 right front
set label 'DRAM load 1000 ±100 GB/s measured' at first 0.254032,272.467 right front
set arrow from first 0.025,100 to first 0.25,100 nohead
set label 'x' at first 0.025,100 center front
set label 'o' at first 0.2,100 center front
set arrow from first 0.1,200 to first 0.25,200 nohead
set label 'x' at first 0.1,200 center front
set label 'o' at first 0.2,200 center front
set arrow from first 0.0980392,200 to first 0.25,200 nohead
set label 'x' at first 0.0980392,200 center front
set label 'o' at first 0.2,200 center front
set arrow from first 0.1,150 to first 0.166667,150 nohead
set label 'X' at first 0.1,150 center front
set label 'O' at first 0.166667,150 center front
set label '1' at first 0.0238592,101.896 right front
set label '2,3' at first 0.0935655,201.317 right front
set label '4' at first 0.0954368,148.747 right front
set label '1' at first 0.209563,101.896 left front
set label '2,3' at first 0.209563,201.317 left front
set label '4' at first 0.174636,148.747 left front
set label '1  CRS thread  100 Gflop/s, L2 bandwidth' at character 1,6
set label '2  CRS lanes 32  200 Gflop/s, memory bandwidth' at character 1,5
set label '3  CRS merge  200 Gflop/s, memory bandwidth' at character 1,4
set label '4  CRS lanes 32, measured  150 Gflop/s' at character 1,3
set label 'x bytes of the L2, o bytes of DRAM; X, O: measured' at character 1,2
set label 'lines reach as far as they are uncertain; a point on its roof takes the time' at character 1,1
set label 'above: DP FMA 8000 Gflop/s stated' at character 1,0
plot NaN notitle, \
    1000 * x > 8000 ? NaN : 1000 * x with lines lt 1 lw 2 dt 1 lc rgb '#4477aa' notitle, \
    4000 * x > 8000 ? NaN : 4000 * x with lines lt 1 lw 2 dt 3 lc rgb '#33a0cc' notitle
set output
