"""
Two detectors compared
======================

What does one detector mark that the other does not? Where they disagree is a group like any other, and can be
described.
"""

# %%
# Fifteen people are heavy for their height, though neither is unusual by itself; twenty had a pulse of about 130. A
# detector may see the one and not the other.
import numpy as np
import pandas as pd
from pyod.models.iforest import IForest
from pyod.models.knn import KNN

from pyod_explain import explain

rng = np.random.default_rng(0)
height = rng.normal(170, 9, 1500).round(1)
X = pd.DataFrame(
    {
        "height": height,
        "weight": (height - 100 + rng.normal(0, 2, 1500)).round(1),
        "pulse": rng.normal(65, 8, 1500).round(),
    }
)
X.loc[:14, "weight"] = (X.loc[:14, "height"] - 100 + rng.uniform(16, 30, 15)).round(1)
X.loc[15:34, "pulse"] = rng.normal(130, 1, 20).round()

scaled = ((X - X.mean()) / X.std()).to_numpy()
forest = IForest(contamination=0.03, random_state=0).fit(scaled)
neighbours = KNN(contamination=0.03).fit(scaled)

# %%
# Each by itself.
first, second = explain(forest, scaled, features=X), explain(neighbours, scaled, features=X)
print(first.headline, second.headline, sep="\n\n")

# %%
# The rules of one beside those of the other.
print(first.compare(second))

# %%
# And what they disagree about: three groups, described one by one.
both = forest.labels_ + neighbours.labels_ == 2
kind = np.select([both, forest.labels_ == 1, neighbours.labels_ == 1], [1, 2, 3])
apart = explain(kind, X).rename({1: "both", 2: "IForest only", 3: "KNN only"})
print(apart.headline)

# %%
axes = apart.plot("groups")
