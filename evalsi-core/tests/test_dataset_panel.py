"""Which records are asked: samples, panels, filters, and the hash that knows them."""

import pytest
from dataset_kit import MAPPING, ROWS, inline, jsonl, panel, records
from hypothesis import given
from hypothesis import strategies as st

from evalsi.core import DataError
from evalsi.core.run.sample import sampled


def test_a_filter_lets_values_through():
    rows = [{"input": str(n), "level": n % 3, "metadata": {"kind": "a"}} for n in range(6)]
    found = inline(rows, filter={"level": [0, 1], "metadata.kind": "a"})
    assert [record.input for record in records(found)] == ["0", "1", "3", "4"]


def test_ids_are_a_fixed_panel():
    assert inline(ROWS, mapping=MAPPING, ids=["q7", "q3"]).ids == ("q3", "q7")


def test_an_id_that_is_not_there_is_named():
    with pytest.raises(DataError, match=r"no record q99, which dataset.ids names"):
        inline(ROWS, mapping=MAPPING, ids=["q7", "q99"])


def test_numbers_are_ids_where_rows_have_none():
    assert inline([{"input": "a"}, {"input": "b"}], ids=[2]).ids == ("2",)


def test_two_rows_of_one_id_are_refused():
    with pytest.raises(DataError, match=r"records:2 has the id 'a' of row 1"):
        inline([{"id": "a", "input": "x"}, {"id": "a", "input": "y"}])


def test_nothing_left_is_an_error():
    with pytest.raises(DataError, match="no record that the spec lets through"):
        inline(ROWS, mapping=MAPPING, filter={"level": "none of these"})


def test_a_sample_hangs_on_its_seed_and_not_on_the_order():
    one = inline(ROWS, mapping=MAPPING, limit=8, seed=3)
    other = inline(ROWS[::-1], mapping=MAPPING, limit=8, seed=3)
    assert set(one.ids) == set(other.ids)
    assert one.ids != inline(ROWS, mapping=MAPPING, limit=8, seed=4).ids


def test_a_stratified_sample_has_the_proportions_of_the_whole():
    found = inline(ROWS, mapping=MAPPING, limit=8, seed=1, stratify="level")
    levels = [record.metadata["level"] for record in records(found)]
    assert (levels.count("easy"), levels.count("hard")) == (2, 6)


def test_a_row_without_the_stratum_is_named():
    with pytest.raises(DataError, match=r"records:1 has no 'grade', which dataset.stratify"):
        inline(ROWS, mapping=MAPPING, limit=8, seed=1, stratify="grade")


def test_the_cluster_of_a_record_is_its_fields_value():
    found = panel(inline={"records": ROWS}, mapping=MAPPING, limit=2, cluster_field="level")
    assert [item.cluster for item in found.items()] == ["easy", "hard"]


strata = st.lists(st.sampled_from("abc"), min_size=1, max_size=60)


@given(strata, st.integers(1, 70), st.integers())
def test_no_share_is_off_by_a_whole_row(kinds, size, seed):
    rows = [(f"r{n}", kind) for n, kind in enumerate(kinds)]
    chosen = sampled(rows, size, seed)
    size = min(size, len(rows))
    assert len(chosen) == size
    for kind in set(kinds):
        share = kinds.count(kind) * size / len(rows)
        assert abs(sum(row in chosen for row, held in rows if held == kind) - share) < 1


@given(st.integers(1, 30), st.integers(0, 30), st.integers())
def test_a_larger_sample_holds_the_smaller_one(size, more, seed):
    rows = [(f"r{n}", "") for n in range(50)]
    assert sampled(rows, size, seed) <= sampled(rows, size + more, seed)


def test_the_hash_covers_content_and_order():
    rows = [{"id": "a", "input": "x"}, {"id": "b", "input": "y"}]
    same = inline([dict(row) for row in rows]).hash
    assert inline(rows).hash == same
    assert inline(rows[::-1]).hash != same
    assert inline([rows[0], {**rows[1], "reference": 1}]).hash != same


def test_the_hash_does_not_hang_on_where_the_rows_are(tmp_path):
    jsonl(tmp_path / "d.jsonl")
    found = panel(tmp_path, path="d.jsonl", mapping=MAPPING)
    assert found.hash == inline(ROWS, mapping=MAPPING).hash


def test_a_file_that_changes_while_it_is_read_is_an_error(tmp_path):
    jsonl(tmp_path / "d.jsonl")
    found = panel(tmp_path, path="d.jsonl", mapping=MAPPING)
    jsonl(tmp_path / "d.jsonl", ROWS[:-1])
    with pytest.raises(DataError, match="changed while the run read it"):
        list(found.items())
