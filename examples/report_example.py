"""
Every view of one explanation
=============================

A page for people, JSON for programs, Markdown for a ticket, SQL for a database, plots: all from one object, so no
two can disagree.
"""

# %%
# Two thousand payments, with two kinds of trouble among them.
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from pyod.models.iforest import IForest

from pyod_explain import explain

rng = np.random.default_rng(1)
n = 2000
payments = pd.DataFrame(
    {
        "amount": rng.gamma(2.0, 40.0, n).round(2),
        "items": rng.integers(1, 9, n),
        "days_as_customer": rng.integers(30, 3000, n),
        "failed_logins": rng.poisson(0.2, n),
        "channel": rng.choice(["web", "shop", "phone"], n, p=[0.6, 0.3, 0.1]),
    },
    index=pd.Index([f"payment {i}" for i in range(n)], name="payment"),
)
odd = rng.choice(n, 80, replace=False)
payments.iloc[odd[:40], 0] = rng.uniform(600, 2000, 40).round(2)
payments.iloc[odd[:40], 2] = rng.integers(0, 5, 40)
payments.iloc[odd[40:], 3] = rng.integers(8, 20, 40)

# %%
# Detect on the numbers, explain with all columns, check the rules on rows that were kept aside.
numbers = payments.drop(columns="channel").to_numpy()
detector = IForest(contamination=0.04, random_state=0).fit(numbers)
explanation = explain(detector, numbers, features=payments).validate(5)
print(explanation)

# %%
# Files.
folder = Path(tempfile.mkdtemp())
explanation.to_html(folder / "report.html")
explanation.to_markdown(folder / "report.md")
explanation.to_json(folder / "explanation.json")
(folder / "rules.sql").write_text(explanation.to_sql("payments", dialect="postgres"), encoding="utf-8")
for path in sorted(folder.iterdir()):
    print(path.name, "is", path.stat().st_size // 1024 + 1, "kB")

# %%
# A row a rule, for pandas.
print(explanation.to_frame()[["group", "rule", "outliers", "normals", "precision"]].to_string(index=False))

# %%
# One row: why, and what would have to be otherwise.
label = explanation.groups[0].rows[0]
print(explanation.for_row(label))
print(explanation.counterfactual(label))

# %%
# The few pairs of columns in which the outliers stand out.
figure = explanation.plot("pairs")
