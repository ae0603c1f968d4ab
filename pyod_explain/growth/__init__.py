"""The rule search: candidates from several starts, better rules given a selection, rules without needless detail."""

from pyod_explain.growth.beam import best_conjunctions
from pyod_explain.growth.description import Conjunction, Description
from pyod_explain.growth.fit import fit_cuts
from pyod_explain.growth.grow import Grower
from pyod_explain.growth.pool import Conditions, Cut, Pool, RankedColumn, RankedColumns, rank_columns
from pyod_explain.growth.shorten import left_out_note, shorten
