"""
A nightly job with an exit code
===============================

Explain today's outliers, compare with yesterday's file, and let the scheduler act on the exit code: 0 nothing
changed, 3 something did.
"""

# %%
# A job has files. Here they are made: three nights of payments, and on the third a new kind of trouble.
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from pyod_explain import Explanation
from pyod_explain.cli import main

folder = Path(tempfile.mkdtemp())


def payments(seed: int, *, new_trouble: bool) -> pd.DataFrame:
    """A thousand payments of a night; `failed` are those that went wrong."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {"amount": rng.gamma(2, 40, 1000).round(2), "bank": rng.choice(["north", "south", "east"], 1000)}
    )
    table["failed"] = (table["amount"] > 250).astype(int)
    if new_trouble:
        table.loc[(table["bank"] == "east") & (table["amount"] < 15), "failed"] = 1
    return table


for night, new_trouble in (("monday", False), ("tuesday", False), ("wednesday", True)):
    payments(len(night), new_trouble=new_trouble).to_csv(folder / f"{night}.csv", index=False)

# %%
# In a shell it is ``pyod-explain monday.csv --labels failed -o monday.json``; ``main`` is the same command.
for night in ("monday", "tuesday", "wednesday"):
    code = main([f"{folder}/{night}.csv", "--labels", "failed", "-o", f"{folder}/{night}.json", "--quiet"])
    print(night, "ended with", code)

# %%
# ``pyod-explain compare monday.json tuesday.json --exit-code``
code = main(["compare", f"{folder}/monday.json", f"{folder}/tuesday.json", "--exit-code"])
print("exit code", code)

# %%
# And on Wednesday.
code = main(["compare", f"{folder}/tuesday.json", f"{folder}/wednesday.json", "--exit-code"])
print("exit code", code)

# %%
# In Python: ``changed`` is what the exit code tells.
tuesday = Explanation.from_json((folder / "tuesday.json").read_text("utf-8"))
wednesday = Explanation.from_json((folder / "wednesday.json").read_text("utf-8"))
changes = tuesday.compare(wednesday)
print(changes.changed)
