"""The result: everything that a report says, as plain values, and the questions that can be asked of it."""
