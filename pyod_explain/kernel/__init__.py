"""The kernel: what is counted of one chunk of rows. Engines map it over chunks and add up, nothing else."""

from pyod_explain.kernel.count import CountTags
from pyod_explain.kernel.engine import Engine, InProcess, count_normals
from pyod_explain.kernel.sign import Signatures, SignTags

__all__ = ["CountTags", "Engine", "InProcess", "SignTags", "Signatures", "count_normals"]
