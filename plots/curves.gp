# curves.gp - a curve for each method or oracle: a line through points with error bars, or bands if points are dense.
band = "using 1:2:3 with filledcurves"
line = "using 1:2 with lines"
bar = "using 1:2:(0):($3 - $2) with vectors heads size screen 0.002, 90"
point = "using 1:2 with points"
