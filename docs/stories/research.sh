# I have a method of my own: is it better than all others, where, and how do I print that? (mine.py, survey.csv)
ldpbench init survey.csv --epsilon 0.5,1,2 -o research.json >init.txt
ldpbench run research.json --with mine.py --set n=1e5
ldpbench report results/research --format latex -o errors.tex
ldpbench plot results/research --format pdf --width column
