"""The other arguments of `explain`: out of range, of another type, of other rows."""

from typing import Any

import numpy as np
import pandas as pd
from sklearn.cluster import DBSCAN, KMeans

from hostile.case import Case, N, Y, table
from pyod_explain import WCCM

CASES: list[Case] = []


def option(name: str, refused: str | None = None, **options: Any) -> None:
    CASES.append(Case(f"option: {name}", lambda: {"detector": Y, "X": table(), **options}, refused))


option("groups: a column", groups="kind")
option("groups: a label an outlier", groups=list("aabbcc"))
option("groups: a clusterer", groups=KMeans(2, n_init=1, random_state=0))
option("groups: a clusterer that calls all noise", groups=DBSCAN(eps=1e-9))
option("tags: tuples instead of tags", "tags", tags=[("amount", ">", 3)])
option("weight=1e308", "weight", method=WCCM(weight=1e308))
option("a weight for each of 3 groups", "weight", method=WCCM(weight=[1, 2, 3]), groups=2)
option("min_lift=1e9", min_lift=1e9)
option("random_state=None", random_state=None)
option("threshold without scores", "threshold", threshold=0.5)
option("scores and threshold", scores=Y + 0.0, threshold=0.5)
option("features: other rows", "features", features=table().iloc[1:])
option("features: infinite", "features", features=pd.DataFrame({"a": [np.inf] * N}))
