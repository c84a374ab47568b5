# I plan a survey: which oracle and method, how many people for one percentage point, and which epsilon do 20,000 people allow?
ldpbench advise survey.csv --epsilon 1
ldpbench advise survey.csv --epsilon 1 --error 0.01
ldpbench advise survey.csv --error 0.01 --n 20000
