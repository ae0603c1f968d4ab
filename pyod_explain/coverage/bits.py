"""The packed bits of `pyod_explain.bits`, under the name of the stage that uses them most."""

from pyod_explain.bits import BLOCK, Words, count, n_words, pack, unpack, weigh

__all__ = ["BLOCK", "Words", "count", "n_words", "pack", "unpack", "weigh"]
