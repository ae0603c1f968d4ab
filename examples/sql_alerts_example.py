"""
Alerts in SQL, with DuckDB
==========================

The rules become a query that marks the same rows as ``predict``: put it where the data is, and let it run without
Python.
"""

# %%
# Sessions of a shop. Scrapers ask for many pages in no time.
import numpy as np
import pandas as pd
from pyod.models.iforest import IForest

from pyod_explain import explain

try:
    import duckdb
except ImportError:
    raise SystemExit("This example needs DuckDB: pip install duckdb") from None

rng = np.random.default_rng(0)
sessions = pd.DataFrame(
    {
        "pages": rng.poisson(6, 4000) + 1,
        "seconds": rng.gamma(2.0, 90.0, 4000).round(1),
        "agent": rng.choice(["desktop", "phone", "tablet"], 4000, p=[0.5, 0.4, 0.1]),
    }
)
sessions.loc[:59, "pages"] = rng.integers(150, 400, 60)
sessions.loc[:59, "agent"] = "desktop"

numbers = sessions[["pages", "seconds"]].to_numpy()
detector = IForest(contamination=0.015, random_state=0).fit(numbers)
explanation = explain(detector, numbers, features=sessions)
print(explanation.headline)

# %%
query = explanation.to_sql("sessions", dialect="duckdb")
print(query)

# %%
# DuckDB marks the rows that ``predict`` marks, with the same group numbers.
database = duckdb.connect()
database.register("sessions", sessions)
alerts = database.sql(query).df()
print(len(alerts), "alerts;", int((explanation.predict(sessions) > 0).sum()), "by predict")
print(alerts.head(3).to_string(index=False))

# %%
# ``where=False`` keeps all rows, for a view.
database.sql("CREATE VIEW marked AS " + explanation.to_sql("sessions", dialect="duckdb", where=False))
print(
    database.sql("SELECT outlier_group, count(*) AS sessions FROM marked GROUP BY 1 ORDER BY 1")
    .df()
    .to_string(index=False)
)

# %%
axes = explanation.plot("groups")
