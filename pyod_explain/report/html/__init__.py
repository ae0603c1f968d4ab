"""The report as a page, and its compact form for notebooks: templates, drawings and style."""

from pyod_explain.report.html.page import MAX_PAGE_BYTES, changes_page, changes_tables, to_html, to_snippet

__all__ = ["MAX_PAGE_BYTES", "changes_page", "changes_tables", "to_html", "to_snippet"]
