# My phones may send two bytes each: which oracle, and, when the reports are here, what are the percentages?
ldpbench oracles --d 6 --epsilon 1 --n 20000 --bits 16
ldpbench estimate reports.jsonl --oracle ss --epsilon 1 --domain values.txt
