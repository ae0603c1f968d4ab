"""Solvers: how what an explainer asks is answered, and how much of the answer is proved."""
