"""The report as one self-contained page: no script, no network, under 1 MB whatever the data; and its compact form.

`page` puts it together from the card of each group (`groups`), with its drawings (`svg`), and the sections that follow
(`sections`); `snippet` is the compact form. Every text goes through a `pen`, which escapes it.
"""

from pyod_explain.report.html.page import MOST_BYTES, to_html
from pyod_explain.report.html.snippet import to_snippet

__all__ = ["MOST_BYTES", "to_html", "to_snippet"]
