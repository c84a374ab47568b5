ldpbench init 'urls.strings(hash=64)' --query full_domain --epsilon 1,2 -o known.json
ldpbench run known.json
ldpbench advise 'urls.strings(hash=40)' --epsilon 2 --top 10 --trials 5
ldpbench report results/known -o urls.html
