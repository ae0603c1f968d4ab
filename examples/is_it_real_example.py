"""
Is this explanation real?
=========================

Rules can be found in anything. Held-out rows, a bound on what chance gives and a placebo tell whether these mean
something.
"""

# %%
# The same table twice. In one the marked rows have a reason, in the other they were drawn at random.
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from pyod_explain import WCCM, explain

rng = np.random.default_rng(0)
X = pd.DataFrame(rng.normal(size=(1000, 8)).round(2), columns=[f"sensor {i}" for i in range(8)])
with_a_reason = ((X["sensor 2"] > 1.4) & (X["sensor 5"] > 0)).astype(int)
at_random = pd.Series(0, index=X.index)
at_random.loc[rng.choice(1000, int(with_a_reason.sum()), replace=False)] = 1

# %%
real = explain(with_a_reason, X).validate(5).placebo_test(5)
print(real)

# %%
nothing = explain(at_random, X).validate(5)
print(nothing)

# %%
# A method that must say something says something. The report says what it is worth.
forced = explain(at_random, X, method=WCCM(weight=20))
print(forced.headline)
print("explains:", forced.summary.explains)

# %%
# What the rules save, beside what rules for random rows save.
figure, axes = plt.subplots(figsize=(7, 1.6), layout="constrained")
random_rows = real.summary.placebo.shares_saved
axes.plot(random_rows, np.zeros(len(random_rows)), "o", color="tab:gray", label="random rows")
axes.plot([real.summary.share_saved], [0], "o", color="tab:red", label="the marked rows")
axes.set(xlabel="share of the bits that the rules save", yticks=[], xlim=(-0.05, 1))
_ = axes.legend(loc="upper center")
