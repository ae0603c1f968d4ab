"""
Rows on a cluster, with Dask
============================

All outliers and a sample of the normal rows are looked at here; every count is that of all rows, made where they
are. Spark works the same way.
"""

# %%
from collections import Counter

import numpy as np
import pandas as pd

from pyod_explain import LargeTable, explain

try:
    import dask.dataframe as dd
except ImportError:
    raise SystemExit("This example needs Dask: pip install 'pyod_explain[dask]'") from None


def day(number: int) -> pd.DataFrame:
    """Fifty thousand transfers of a day, a few of which are fraud."""
    rng = np.random.default_rng(number)
    table = pd.DataFrame(
        {
            "amount": rng.gamma(2.0, 60.0, 50_000).round(2),
            "hour": rng.integers(0, 24, 50_000),
            "country": rng.choice(["AT", "CH", "DE", "LI"], 50_000, p=[0.3, 0.2, 0.49, 0.01]),
        }
    )
    table["fraud"] = ((table["country"] == "LI") & (table["hour"] < 5)).astype(int)
    return table


rows = dd.from_map(day, range(8))
print(rows.npartitions, "partitions")

# %%
# Without a Client, Dask's threads do the work; with one, its workers do. ``sample`` bounds the normal rows that are
# looked at here.
explanation = explain("fraud", LargeTable(rows, sample=20_000))
print(explanation)

# %%
# ``scan`` reads the rows batch by batch, each with its group, rule and the rule's text.
counts = Counter()
for batch in explanation.scan(rows):
    counts.update(batch.column("group").to_pylist())
print("rows that no rule matches:", counts[0], "rows of group 1:", counts[1])
