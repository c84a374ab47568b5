# What the layouts' programs share.

function fail(text) { print "plot: " FILENAME ": " text > "/dev/stderr"; failed = 1; exit 2 }

# A string of gnuplot, which would run what stands between backticks.
function quote(text) {
    gsub(/\\/, "\\\\", text)
    gsub(/"/, "\\\"", text)
    gsub(/`/, "\\140", text)
    return "\"" text "\""
}
