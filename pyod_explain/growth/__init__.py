"""Growth: rules that lower the objective given the current selection, and rules without details that save little."""

from pyod_explain.growth.grow import Description, Grower, best_conjunctions
from pyod_explain.growth.pool import Cut, Pool, RankedColumn, most_informative, rank_columns
from pyod_explain.growth.shorten import left_out_note, shorten
