"""Rows beyond memory get the groups, rules and texts of rows in memory, read lazily."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import pyod_explain as pe
from pyod_explain import PyodExplainError

N = 600


@pytest.fixture(scope="module")
def frame():
    random = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "a": random.normal(size=N) + np.where(np.arange(N) % 40 == 0, 9, 0),
            "k": np.where(np.arange(N) % 50 == 1, "odd", random.choice(["x", "y"], N)),
            "text": "own",
        }
    )


@pytest.fixture(scope="module")
def explanation(frame):
    return pe.explain((frame["a"] > 6) | (frame["k"] == "odd"), frame)


def chunks(frame, size=101):
    return lambda: (frame.iloc[i : i + size] for i in range(0, N, size))


def test_rows_have_their_group_rule_and_text(frame, explanation, tmp_path):
    reader = explanation.scan(chunks(frame))
    assert isinstance(reader, pa.RecordBatchReader)
    written = tmp_path / "said.parquet"
    with pq.ParquetWriter(written, reader.schema) as writer:
        for batch in reader:
            writer.write_batch(batch)
    found = pd.read_parquet(written)
    assert found.columns.tolist() == ["a", "k", "text", "group", "rule", "text_"]  # the source has a text of its own
    pd.testing.assert_frame_equal(found[["a", "k", "text"]], frame, check_dtype=False)
    groups = explanation.predict(frame)
    assert found["group"].tolist() == groups.tolist()
    for row, group in enumerate(groups):
        if group == 0:
            assert pd.isna(found["rule"].iloc[row])
            assert pd.isna(found["text_"].iloc[row])
            continue
        rule = explanation.rules[int(found["rule"].iloc[row]) - 1]
        assert (rule.group, rule.text) == (group, found["text_"].iloc[row])
        assert rule.tag.covers(frame.iloc[[row]]).all()


def test_nothing_is_read_before_somebody_reads(frame, explanation):
    read = []
    chunks = (read.append(i) or pd.concat([frame.iloc[i : i + 100]] * 700) for i in range(0, N, 100))
    reader = explanation.scan(chunks)
    assert len(read) == 1  # whose columns tell the schema
    next(iter(reader))
    assert len(read) == 1


def test_chunks_of_other_types_are_cast_to_the_first(frame, explanation):
    later = frame.iloc[300:].assign(a=frame["a"].iloc[300:].astype(np.float32))
    found = explanation.scan([frame.iloc[:300], later]).read_all()
    assert found.schema.field("a").type == pa.float64()
    with pytest.raises(PyodExplainError, match="one type for each column"):
        explanation.scan([frame.iloc[:300], frame.iloc[300:].assign(text=b"\xff")]).read_all()


def test_a_source_without_a_column_is_refused_at_once(frame, explanation):
    with pytest.raises(PyodExplainError, match="lacks the column"):
        explanation.scan([frame[["k", "text"]]])


def test_a_frame_in_memory_is_one_chunk(frame, explanation):
    assert explanation.scan(frame).read_all() == explanation.scan([frame]).read_all()
    with pytest.raises(PyodExplainError, match=r"^`source`"):
        explanation.scan(3)


@pytest.mark.parametrize("call", ["predict", "transform", "matches", "to_rows", "contributions"])
def test_other_questions_are_about_tables_in_memory(frame, explanation, call):
    with pytest.raises(PyodExplainError, match="scan") as caught:
        getattr(explanation, call)(chunks(frame))
    assert caught.value.argument == "X"


def test_an_index_with_a_name_is_a_column_and_another_is_left_out(frame, explanation):
    assert explanation.scan([frame]).schema.names == ["a", "k", "text", "group", "rule", "text_"]
    assert explanation.scan([frame.rename_axis("id")]).read_all()["id"].to_pylist() == list(range(N))
