"""What the benchmarks share, so that a figure of one can stand beside a figure of another.

- `folders`, `tables`: data files and tables, and which rows are true outliers. `five_bins`: the paper's data sets.
- `detectors`, `cases`, `folds`: who says which rows are outliers, the pairs of table and labels, rows to find rules on.
- `columns`, `learners`: rule learners of other projects on a table as it is. `item_learners`, `contest`,
  `descriptions`: the same on columns of yes and no, with settings and a time limit; their rules as tags.
- `score`: what rules are worth on unseen rows. `printing`, `options`, `cache`, `timing`, `processes`: the rest.
"""
