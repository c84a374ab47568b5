# Time over domain size, from the curves that scripts/performance.awk writes: columns d, value, name.
# gnuplot -e "curves='FOLDER'; output='FILE.svg'; levels='generic avx2'" plots/performance.gp
set terminal svg size 960,420 font 'sans-serif,12' background 'white'
set output output
set multiplot layout 1,2 margins 0.08,0.985,0.13,0.91 spacing 0.09,0
set logscale xy
set format x '10^{%T}'
set grid lc rgb '#dddddd'
set key left top reverse Left samplen 2 font ',10'
set xlabel 'domain size d'
set style line 1 lc rgb '#000000' lw 2 pt 7 ps 0.7
set style line 2 lc rgb '#0072b2' lw 2 dt 2 pt 5 ps 0.7
set style line 3 lc rgb '#d55e00' lw 2 dt 3 pt 9 ps 0.8
set style line 4 lc rgb '#009e73' lw 2 dt 4 pt 13 ps 0.9
set style line 6 lc rgb '#cc79a7' lw 2 dt 6 pt 7 ps 0.5
set style line 5 lc rgb '#777777' lw 2 dt 5 pt 11 ps 0.8
file(name) = curves.'/'.name.'.dat'
only(name, wanted) = "< awk '{ x = $1 \" \" $2; sub(/^[^ ]+ [^ ]+ /, \"\"); if ($0 == \"".wanted."\") print x }' ".file(name)
set format y '10^{%T}'
set xrange [70:1.5e6]
set title 'One repetition by counts, seconds'
plot only('repetition', 'olh counts, ten methods') with linespoints ls 1 title 'olh, methods of NDSS 2020', \
     only('repetition', 'olh counts, all methods') with linespoints ls 6 title 'olh, every method', \
     only('oracle', 'olh counts') with linespoints ls 2 title 'olh alone', \
     only('oracle', 'hr counts') with linespoints ls 5 title 'hr alone', \
     only('method', 'power') with linespoints ls 3 title 'power', \
     only('method', 'norm_sub') with linespoints ls 4 title 'norm\_sub'
set title 'Support counting, evaluations a second and core'
set xrange [40:1.5e6]
set yrange [2e8:2e11]
plot for [i=1:words(levels)] only('kernel', word(levels, i)) with linespoints ls i title word(levels, i), \
     5e9 with lines lc rgb '#999999' dt 2 lw 1 title 'goal'
unset multiplot
