# values.gp - a point for each value by its rank or count, with bands of two standard errors, and the truth as a line.
band = "using 1:2:3 with filledcurves"
line = "using 1:2 with lines"
point = "using 1:2 with points"
