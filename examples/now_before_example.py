"""
Now against before
==================

No detector and no labels: what is in today's table that was not in yesterday's?
"""

# %%
# Orders of two days. Today half of a partner's orders have no depot, and a price list is off by ten.
import numpy as np
import pandas as pd

from pyod_explain import explain_new


def orders(seed: int) -> pd.DataFrame:
    """Two thousand orders of a day."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "price": rng.gamma(3.0, 12.0, 2000).round(2),
            "country": rng.choice(["AT", "CH", "DE"], 2000, p=[0.2, 0.2, 0.6]),
            "partner": rng.choice(["shop", "mail", "market"], 2000),
            "depot": rng.choice(["north", "south", "east", "west"], 2000),
        }
    )


yesterday, today = orders(1), orders(2)
today.loc[(today["partner"] == "market") & (today.index % 2 == 0), "depot"] = None
today.loc[(today["country"] == "CH") & (today["partner"] == "shop"), "price"] *= 10

# %%
new = explain_new(today, yesterday, names=("today", "yesterday")).validate(5)
print(new)

# %%
# A row a rule.
print(new.to_frame().to_string(index=False))

# %%
# It is an ordinary explanation, with all its views: SQL that finds such rows tomorrow, for one.
print(new.to_sql("orders", dialect="postgres"))

# %%
# Yesterday against the day before: nothing is new, and that is what is said.
print(explain_new(yesterday, orders(0), names=("yesterday", "the day before")))

# %%
axes = new.plot("groups")
