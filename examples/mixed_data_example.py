"""
Mixed data: words, numbers, dates, gaps
=======================================

Detectors take numbers. The rules speak of the table as it is: categories by name, gaps as "is missing", dates as
dates.
"""

# %%
# Claims of an insurance. Some come from one garage without a photo, some were filed on a Sunday night.
import numpy as np
import pandas as pd
from pyod.models.iforest import IForest

from pyod_explain import explain

rng = np.random.default_rng(3)
n = 3000
days = pd.to_datetime("2024-03-01") + pd.to_timedelta(rng.integers(0, 180, n), unit="D")
claims = pd.DataFrame(
    {
        "claimed": rng.gamma(3.0, 300.0, n).round(),
        "garage": rng.choice(["Abel", "Berg", "Curie", "Dorn"], n),
        "photos": pd.array(rng.integers(1, 9, n), dtype="Int64"),
        "filed": days + pd.to_timedelta(rng.integers(7 * 60, 20 * 60, n), unit="min"),
    }
)
garage = rng.choice(n, 90, replace=False)
claims.loc[garage, "garage"] = "Dorn"
claims.loc[garage, "photos"] = pd.NA
night = rng.choice(np.setdiff1d(np.arange(n), garage), 60, replace=False)
claims.loc[night, "filed"] = pd.to_datetime("2024-06-02 23:10") + pd.to_timedelta(rng.integers(0, 40, 60), unit="min")
print(claims.head(4).to_string())

# %%
# For the detector everything becomes a number, in whatever way you like.
numbers = pd.DataFrame(
    {
        "claimed": claims["claimed"],
        "photos": claims["photos"].astype("Float64").fillna(-5).astype(float),
        "garage": claims["garage"].astype("category").cat.codes,
        "hour": claims["filed"].dt.hour,
    }
).to_numpy()
detector = IForest(contamination=0.05, random_state=0).fit(numbers)

# %%
# For the reader the table stays as it is.
explanation = explain(detector, numbers, features=claims)
print(explanation)

# %%
axes = explanation.plot("groups")
