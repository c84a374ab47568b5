# bars.gp - subjects side by side: a point for each mean, a bar for its interval, a short line for its 95th percentile.
line = "using 1:2 with lines"
bar = "using 1:2:(0):($3 - $2) with vectors heads size screen 0.002, 90"
point = "using 1:2 with points"
