"""Outliers that are marked by words or by a test of a column."""

import datetime as dt
import decimal
import re
import shlex

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command_line import run
from hypothesis import given
from hypothesis import strategies as st

from pyod_explain.cli.marking.condition import ColumnTest, parse_test
from pyod_explain.cli.marking.words import NORMAL, OUTLIER, outlier_word
from pyod_explain.cli.usage import UsageError


@pytest.fixture(scope="module")
def orders(tmp_path_factory):
    rng = np.random.default_rng(1)
    n = 200
    odd = np.arange(n) % 20 == 3
    table = pd.DataFrame({"amount": rng.gamma(2, 50, n).round(2) + 400 * odd, "kind": rng.choice(["web", "shop"], n)})
    table["status"] = np.where(odd, np.where(np.arange(n) % 40 == 3, "fraud", "chargeback"), "ok")
    table["fraud"] = np.where(odd, "yes", "no")
    table["passed"] = np.where(odd, "No", "Yes")
    table["traffic"] = np.where(odd, "attack", "normal")
    table["flag"] = odd
    table["good"] = ~odd
    table["class"] = np.where(odd, 2, 1)
    table["letter"] = np.where(odd, "A", "B")
    table["same"] = "ok"
    table["score"] = np.where(odd, 0.9, rng.random(n).round(3) / 2)
    table["when"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.where(odd, 60, np.arange(n) % 30), unit="D")
    table["gaps"] = table["status"].where(np.arange(n) % 50 != 7)
    table["number gaps"] = np.where(np.arange(n) % 50 == 7, np.nan, odd)
    path = tmp_path_factory.mktemp("orders") / "orders.csv"
    table.to_csv(path, index=False)
    return path


USUAL = ("--only", "amount,kind", "--no-validate")


@pytest.mark.parametrize(
    ("labels", "name", "note"),
    [
        (["status != ok"], "status != ok", ""),
        (["status <> ok"], "status != ok", ""),
        (["status in fraud,chargeback"], "status in fraud, chargeback", ""),
        (["status in ('fraud', \"chargeback\")"], "status in fraud, chargeback", ""),
        (["status not in ok"], "status not in ok", ""),
        (["status", "--outlier-values", "fraud,chargeback"], "status in fraud, chargeback", ""),
        (["fraud"], "fraud == yes", "outliers are the 10 rows with 'yes' in column 'fraud' (the rarer one)"),
        (["passed"], "passed == No", "outliers are the 10 rows with 'No' in column 'passed' (the rarer one)"),
        (["traffic"], "traffic == attack", "with 'attack' in column 'traffic' (by its meaning)"),
        (["flag"], "flag", ""),
        (["flag == true"], "flag == true", ""),
        (["good", "--outlier-values", "false"], "good == false", ""),
        (["class", "--outlier-values", "2"], "class == 2", ""),
        (["class > 1"], "class > 1", ""),
        (["score >= 0.9"], "score >= 0.9", ""),
        (["score>0.6"], "score > 0.6", ""),
        (["when >= 2024-02-15"], "when >= 2024-02-15", ""),
        (["gaps != ok"], "gaps != ok", "4 rows have no value in column 'gaps': taken for normal"),
        (["number gaps == 1"], "number gaps == 1", "4 rows have no value in column 'number gaps'"),
    ],
)
def test_ten_outliers_are_marked_in_many_ways(capsys, orders, labels, name, note):
    code, out, err = run(capsys, orders, "--labels", *labels, *USUAL)
    assert code == 0, err
    column = f"Column '{name}' marks 10 of 200 rows (5.0%) as outliers."
    test = f"10 of 200 rows (5.0%) are outliers: those where {name}."
    assert " ".join(out.split()).startswith(column if name == "flag" else test)
    assert (note in err) if note else err == ""
    assert "if amount >= " in out


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (
            ["letter"],
            "which of them mark outliers is not plain. Hint: --labels letter --outlier-values A",
        ),
        (["status"], "which of them mark outliers is not plain. Hint: --labels 'status != ok'"),
        (["class"], "column 'class' has '1' (190), '2' (10), and which of them mark outliers is not plain"),
        (["same"], "all rows have 'ok' in column 'same'; some must be outliers"),
        (["score"], "Hint: --labels 'score > "),
        (["amount < 0"], "--labels 'amount < 0' must be true for some rows, got none"),
        (["amount >= 0"], "--labels 'amount >= 0' must be true for some rows, got all"),
        (["amount > much"], "must compare column 'amount' with a number, got 'much'"),
        (["flag == maybe"], "must compare column 'flag' with true or false, got 'maybe'"),
        (["when > soon"], "must compare column 'when' with a date such as 2024-01-31, got 'soon'"),
        (["status > ok"], "must compare numbers or dates, but column 'status' holds texts"),
        (["status == frad"], "no row has 'frad' in column 'status'; it has 'ok', 'fraud', 'chargeback'."),
        (["status", "--outlier-values", "fraud,frad"], "no row has 'frad' in column 'status'"),
        (["statsu != ok"], "the table has no column 'statsu'; it has 'amount', 'kind'"),
        (["status !="], "--labels 'status !=' must compare column 'status' with a value, got none"),
        (["status != ok", "--outlier-values", "ok"], "--outlier-values goes with a column in --labels"),
        (["gaps"], "which of them mark outliers is not plain. Hint: --labels 'gaps != ok'"),
        (["number gaps"], "4 rows have no value in column 'number gaps'. Hint: --labels 'number gaps == 1'"),
    ],
)
def test_what_is_not_plain_is_asked_for_in_a_line_to_paste(capsys, orders, labels, message):
    code, out, err = run(capsys, orders, "--labels", *labels, *USUAL)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_values_of_outliers_go_with_labels(capsys, orders):
    with pytest.raises(SystemExit) as stopped:
        run(capsys, orders, "--outlier-values", "fraud")
    assert stopped.value.code == 2
    assert "--outlier-values says which values of --labels are outliers" in capsys.readouterr().err


def test_mostly_true_is_noted(capsys, orders):
    _, _, err = run(capsys, orders, "--labels", "good", *USUAL)
    assert "note: 190 of 200 rows are true in column 'good' and taken for outliers; --outlier-values false" in err


def test_the_tested_column_explains_nothing_but_may_name_the_groups(capsys, orders):
    code, out, err = run(
        capsys, orders, "--labels", "status != ok", "--only", "amount", "--groups", "status", "--no-validate"
    )
    assert code == 0, err
    assert "(fraud)" in out
    assert "(chargeback)" in out
    code, out, err = run(capsys, orders, "--labels", "amount > 380", "--drop", "amount,score", "--no-validate")
    assert code == 0, err
    assert "if amount" not in out


def test_words_of_two_kinds():
    assert not OUTLIER & NORMAL
    assert outlier_word({"ok": 9, "weird": 1}) == ("weird", "by its meaning")
    assert outlier_word({"weird": 9, "Fraud ": 1}) == ("Fraud ", "by its meaning")
    assert outlier_word({"yes": 5, "no": 5}) == (None, "")
    assert outlier_word({"ok": 5, "good": 5}) == (None, "")
    assert outlier_word({"bad": 5, "error": 5}) == (None, "")
    assert outlier_word({"ok": 5, "bad": 4, "x": 3}) == (None, "")


def test_an_outlier_value_said_twice_is_one(capsys, orders):
    _, out, _ = run(capsys, orders, "--labels", "class", "--outlier-values", "2,2", *USUAL)
    assert "those where class == 2." in " ".join(out.split())


@pytest.fixture(scope="module", params=["file", "folder"])
def kinds(request, tmp_path_factory):
    """What parquet files have and text files have not, as a file and as a folder, whose rows are beyond memory."""
    rng = np.random.default_rng(2)
    n = 120
    odd = np.arange(n) % 10 == 3
    day = [dt.date(2024, 1, 1) + dt.timedelta(int(i)) for i in np.where(odd, 50, np.arange(n) % 30)]
    columns = {
        "day": pa.array([None if i == 7 else one for i, one in enumerate(day)]),
        "price": pa.array([decimal.Decimal("90.10") if one else decimal.Decimal(i) for i, one in enumerate(odd)]),
        "took": pa.array(np.where(odd, 7200, np.arange(n)), pa.duration("s")),
        "at": pa.array([dt.time(23 if one else 8, 30) for one in odd]),
        "kind": pa.array(np.where(odd, 2, 1)).dictionary_encode(),
        "big": pa.array([None if i == 9 else 2**60 + int(one) for i, one in enumerate(odd)]),
        "amount": pa.array(rng.gamma(2, 50, n).round(2) + 400 * odd),
    }
    folder = tmp_path_factory.mktemp("kinds")
    path = folder / "kinds.parquet"
    pq.write_table(pa.table(columns), path, row_group_size=40)
    return path if request.param == "file" else folder


@pytest.mark.parametrize(
    "test",
    [
        "day > 2024-01-31",
        "day == 2024-02-20",
        "price == 90.1",
        "price in 90.1,90.10",
        "took > 00:30:00",
        "took == 2 hours",
        "at >= 22:00",
        "kind > 1",
        f"big == {2**60 + 1}",
        f"big > {2**60}",
    ],
)
def test_a_test_of_whatever_a_parquet_file_holds(capsys, kinds, test):
    code, out, err = run(capsys, kinds, "--labels", test, "--only", "amount", "--no-validate")
    assert code == 0, err
    assert out.startswith("12 of 120 rows (10%) are outliers")


@pytest.mark.parametrize(
    ("test", "wanted"),
    [
        ("day > soon", "with a date such as 2024-01-31, got 'soon'"),
        ("price > much", "with a number, got 'much'"),
        ("price > nan", "with a number, got 'nan'"),
        ("took > 500", "with a duration such as 1 day 06:30:00, got '500'"),
        ("at > noon", "with a time of day such as 17:30, got 'noon'"),
    ],
)
def test_what_is_no_value_of_the_column_is_told_with_an_example(capsys, kinds, test, wanted):
    code, _, err = run(capsys, kinds, "--labels", test, "--only", "amount", "--no-validate")
    assert code == 2
    assert wanted in err


@pytest.mark.parametrize(
    ("test", "wanted"),
    [
        ("here > 2024-03-31 02:30", "a moment that clocks of Europe/Berlin show once, or one with its offset"),
        ("here == 2024-10-27 02:30", "a moment that clocks of Europe/Berlin show once, or one with its offset"),
        ("plain > 2024-03-31T00:00Z", "a date without a zone, as it has none"),
    ],
)
def test_a_moment_that_the_column_cannot_have_is_a_mistake_in_the_command(test, wanted):
    when = pd.Series(pd.date_range("2024-03-30", periods=50, freq="h"))
    parsed = parse_test(test, ["here", "plain"])
    with pytest.raises(UsageError, match=re.escape(wanted)):
        parsed.matches(when.dt.tz_localize("UTC").dt.tz_convert("Europe/Berlin") if parsed.column == "here" else when)


def test_a_test_of_a_time_with_a_zone():
    times = pd.Series(pd.to_datetime(["2024-01-01T10:00+01:00", "2024-01-03T10:00+01:00"]))
    assert ColumnTest("t", ">=", ("2024-01-02",)).matches(times).tolist() == [False, True]


OPERATORS = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    ">": lambda a, b: a > b,
    "<": lambda a, b: a < b,
    ">=": lambda a, b: a >= b,
    "<=": lambda a, b: a <= b,
}


@given(
    st.lists(st.one_of(st.none(), st.integers(-9, 9)), min_size=1, max_size=12),
    st.sampled_from(sorted(OPERATORS)),
    st.integers(-9, 9),
)
def test_a_test_is_what_it_says_row_by_row(values, operator, limit):
    series = pd.Series(values, dtype="float64")
    test = parse_test(f"my column {operator} {limit}", ["my column"])
    assert test == ColumnTest("my column", operator, (str(limit),))
    expected = [value is not None and OPERATORS[operator](value, limit) for value in values]
    if operator in ("==", "!=") and limit not in values:
        with pytest.raises(UsageError, match="no row has"):
            test.matches(series)
    else:
        assert test.matches(series).tolist() == expected


def test_true_and_false_with_gaps(capsys, tmp_path):
    odd = np.arange(60) % 10 == 3
    lines = [f"{500 + k if one else k},{'' if k == 5 else one}" for k, one in enumerate(odd)]
    (tmp_path / "a.csv").write_text("amount,flag\n" + "\n".join(lines) + "\n")
    code, _, err = run(capsys, tmp_path / "a.csv", "--labels", "flag", "--no-validate")
    assert code == 2
    assert "1 row has no value in column 'flag'. Hint: --labels 'flag == True' takes it for normal" in err
    code, out, err = run(capsys, tmp_path / "a.csv", "--labels", "flag == True", "--no-validate")
    assert code == 0, err
    assert out.startswith("6 of 60 rows (10%) are outliers: those where flag == True.")


def test_words_that_are_categories(capsys, tmp_path):
    odd = np.arange(60) % 10 == 3
    kinds = pd.Categorical(np.where(odd, "attack", "normal"), categories=["attack", "normal", "x"])
    pd.DataFrame({"amount": np.arange(60) + 500 * odd, "kind": kinds}).to_parquet(tmp_path / "a.parquet")
    for labels in ("kind", "kind == attack"):
        code, out, err = run(capsys, tmp_path / "a.parquet", "--labels", labels, "--no-validate")
        assert code == 0, err
        assert out.startswith("6 of 60 rows (10%) are outliers: those where kind == attack.")


def test_one_outlier_is_one_row(capsys, tmp_path):
    lines = [f"{900 if k == 3 else k},{'fraud' if k == 3 else 'ok'}" for k in range(60)]
    (tmp_path / "a.csv").write_text("amount,kind\n" + "\n".join(lines) + "\n")
    code, _, err = run(capsys, tmp_path / "a.csv", "--labels", "kind", "--no-validate")
    assert code == 0
    assert "note: the outlier is the 1 row with 'fraud' in column 'kind' (by its meaning)" in err


PASTED = [
    (["ok ", "bad ", "ugly "], 20),
    (["web", "app", "a, b"], 8),
    (["web", "app", "-x"], 8),
    (["ok ", " bad", None], 12),
    ([1, -1, None], 12),
    ([0, 1, 2, None], 14),
    ([0, 7, None], 12),
]


@pytest.mark.parametrize("name", ["k", "-k"])
@pytest.mark.parametrize(("kinds", "n_outliers"), PASTED)
def test_a_hint_works_when_it_is_pasted(capsys, tmp_path, name, kinds, n_outliers):
    column = np.repeat(np.array(kinds, dtype=object), [40, 12, 8] if len(kinds) == 3 else [40, 12, 2, 6])
    pd.DataFrame({"x": np.arange(60) % 9, name: column}).to_csv(tmp_path / "a.csv", index=False)
    code, _, err = run(capsys, tmp_path / "a.csv", f"--labels={name}", "--no-validate")
    assert code == 2
    hint = shlex.split(err.partition("Hint: ")[2].partition(" takes ")[0])
    code, out, err = run(capsys, tmp_path / "a.csv", *hint, "--no-validate")
    assert code == 0, err
    assert out.startswith(f"{n_outliers} of 60 rows (")


@pytest.mark.parametrize(("most", "few", "word"), [(-1, 1, "-1"), (1, 0, "not 0")])
def test_numbers_that_mark_most_rows_are_noted(capsys, tmp_path, most, few, word):
    pd.DataFrame({"x": np.arange(60) % 9, "k": [most] * 50 + [few] * 10}).to_csv(tmp_path / "a.csv", index=False)
    code, out, err = run(capsys, tmp_path / "a.csv", "--labels", "k", "--no-validate")
    assert code == 0
    assert "marks 50 of 60 rows" in " ".join(out.split())
    said = f"50 of 60 rows are {word} in column 'k' and taken for outliers; --outlier-values {few} takes the others"
    assert err == f"note: {said}\n"
    code, out, err = run(capsys, tmp_path / "a.csv", "--labels", "k", "--outlier-values", few, "--no-validate")
    assert out.startswith(f"10 of 60 rows (17%) are outliers: those where k == {few}.")


def test_values_that_end_in_blanks_are_quoted(capsys, tmp_path):
    pd.DataFrame({"x": np.arange(60) % 9, "k": ["ok "] * 50 + ["a, b"] * 10}).to_csv(tmp_path / "a.csv", index=False)
    for test, told in (("k != 'ok '", "k != 'ok '"), ("k in 'a, b'", "k in 'a, b'")):
        code, out, err = run(capsys, tmp_path / "a.csv", "--labels", test, "--no-validate")
        assert code == 0, err
        assert out.startswith(f"10 of 60 rows (17%) are outliers: those where {told}.")
