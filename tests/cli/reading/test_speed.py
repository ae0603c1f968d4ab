"""A large file is read about as fast as pandas reads it."""

import io
import time

import numpy as np
import pandas as pd

from pyod_explain.cli.reading import How, read_text


def test_a_million_rows_take_no_more_than_half_as_long_again():
    """In turn, the best of several times: other programs may hold up either."""
    rng = np.random.default_rng(0)
    n = 100_000
    numbers = {f"x{k}": rng.normal(0, 10, n).round(3) for k in range(6)}
    table = pd.DataFrame({**numbers, "kind": rng.choice(["web", "shop"], n), "id": [f"r{k}" for k in range(n)]})
    header, _, body = table.to_csv(index=False).partition("\n")
    data = f"{header}\n{body * 10}".encode()
    plain, ours = [], []
    for _ in range(6):
        start = time.process_time()
        expected = pd.read_csv(io.BytesIO(data))
        between = time.process_time()
        found = read_text(data, "The file", How())
        plain.append(between - start)
        ours.append(time.process_time() - between)
    assert min(ours) < 1.5 * min(plain)
    pd.testing.assert_frame_equal(found, expected)


def test_many_rows_with_commas_in_numbers():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({f"x{k}": rng.normal(0, 10, 50_000).round(3) for k in range(6)})
    data = table.to_csv(index=False, sep=";", decimal=",").encode()
    pd.testing.assert_frame_equal(read_text(data, "The file", How()), table)


def test_a_hundred_thousand_prices_take_at_most_three_times_as_long_as_pandas_alone():
    """Nearly all are different, so that nothing is saved by reading each once."""
    cents = np.random.default_rng(0).integers(10**5, 10**9, 100_000).tolist()
    data = "".join(["price\n", *(f'"${cent / 100:,.2f}"\n' for cent in cents)]).encode()
    plain, ours = [], []
    for _ in range(5):
        start = time.process_time()
        expected = pd.read_csv(io.BytesIO(data))["price"].str.replace("[$,]", "", regex=True).astype(float)
        between = time.process_time()
        found = read_text(data, "The file", How())["price"]
        plain.append(between - start)
        ours.append(time.process_time() - between)
    assert min(ours) < 3 * min(plain)
    pd.testing.assert_series_equal(found, expected)
