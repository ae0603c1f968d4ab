"""Pages are tested; what Sphinx needs, and what it writes here, is not."""

collect_ignore = ["_ext", "conf.py", "gallery"]
