"""Parts of a panel: the same whatever the order, with clusters whole."""

import random

import pytest

from evalsi.training.subsets import subset_of

IDS = tuple(f"r{number}" for number in range(200))


def part(ids=IDS, clusters=(), size=50, **options):
    return subset_of(ids, clusters, size, **{"purpose": "mini", **options})


def test_a_part_has_its_size_and_hangs_on_the_names_alone():
    mixed = list(IDS)
    random.Random(1).shuffle(mixed)

    assert len(part()) == 50
    assert part(tuple(mixed)) == part()


def test_a_larger_part_holds_the_smaller_one():
    assert part(size=20) < part(size=50)


@pytest.mark.parametrize("other", [{"seed": 1}, {"purpose": "half"}])
def test_another_seed_or_purpose_is_another_part(other):
    shared = len(part(size=100) & part(size=100, **other))

    assert 30 < shared < 70


def test_clusters_are_whole_and_records_without_one_stand_alone():
    clusters = tuple(None if number % 4 == 0 else f"c{number // 8}" for number in range(200))
    chosen = part(clusters=clusters)

    assert 50 <= len(chosen) < 50 + 6
    for cluster in set(clusters) - {None}:
        members = {name for name, own in zip(IDS, clusters, strict=True) if own == cluster}
        assert members <= chosen or not members & chosen


def test_a_record_that_is_named_like_a_cluster_is_another_unit():
    assert len(part(("a", "b"), (None, "a"), 1)) == 1
