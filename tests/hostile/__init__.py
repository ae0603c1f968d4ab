"""Odd and bad inputs: each ends in a true explanation or in one clear error that names the argument.

An input passes if

- what was expected happens: an explanation, or a `PyodExplainError` or `TypeError` whose message names the argument;
- every printed rule, evaluated cell by cell and exactly on the user's own table, gives exactly the printed counts;
- no warning is raised, and the input is unchanged byte for byte.
"""

from hostile import arguments, columns, labels, tables

CASES = [*columns.CASES, *tables.CASES, *labels.CASES, *arguments.CASES]
