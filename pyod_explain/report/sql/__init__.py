"""The rules as SQL, in six dialects: a SELECT of the rows that the rules match, with the group of each.

`statement` writes the SELECT, `conditions` what stands in it for a condition, `dialect` how the standard writes names
and values, and `databases` and `sqlite` what other dialects do in other ways.

What a condition means is fixed by `Condition.holds`; each dialect is brought to say the same. Three differences matter
most. A missing cell meets no condition but "missing", and SQL's three-valued logic agrees, as a CASE and a WHERE take
"unknown" for no. NaN is missing to us, while DuckDB, PostgreSQL and Spark hold it for a number greater than all
others, so where it could matter it is ruled out by name. And a database rounds one of two numbers whose types differ,
so whole columns get whole bounds, decimals decimal ones, and floats bounds that are doubles.

Columns are named with their table (`t."amount"`): SQLite takes the bare name of a column that is gone for a text.
Nothing is written as it comes: names and texts are quoted, and what stands unquoted was made here from a number.
"""

from pyod_explain.report.sql.statement import DIALECTS, to_sql, write_rule

__all__ = ["DIALECTS", "to_sql", "write_rule"]
