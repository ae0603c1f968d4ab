"""
Odd texts, told by metadata
===========================

A detector that ran on embeddings has columns that nobody can read. What the texts have in common is told by what is
known about them.
"""

# %%
# Tickets of a help desk. Through one channel comes advertising.
import numpy as np
import pandas as pd
from pyod.models.knn import KNN
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline

from pyod_explain import explain

rng = np.random.default_rng(0)
usual = ["printer", "password", "login", "screen", "order", "invoice", "delivery", "address", "account"]
advertising = ["winner", "prize", "casino", "bonus", "click", "offer", "cheap", "credit"]


def ticket(words: list[str], length: int) -> str:
    """Some words in a row."""
    return " ".join(rng.choice(words, length))


n = 1200
spam = np.zeros(n, dtype=bool)
spam[rng.choice(n, 24, replace=False)] = True
texts = [ticket(advertising if odd else usual, int(rng.integers(6, 20))) for odd in spam]
tickets = pd.DataFrame(
    {
        "channel": np.where(spam, "form", rng.choice(["mail", "phone", "form", "chat"], n)),
        "customer": np.where(spam, "none", rng.choice(["private", "company", "none"], n, p=[0.5, 0.4, 0.1])),
        "words": [len(text.split()) for text in texts],
    }
)

# %%
# An embedding: here word weights in eight dimensions, elsewhere what a language model gives.
embedding = make_pipeline(TfidfVectorizer(), TruncatedSVD(8, random_state=0)).fit_transform(texts)
detector = KNN(contamination=0.02, n_neighbors=40).fit(embedding)

# %%
# ``features=`` has the columns that the rules may speak of.
explanation = explain(detector, embedding, features=tickets).validate(5)
print(explanation)

# %%
axes = explanation.plot("groups")
