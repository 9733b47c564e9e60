"""The page of verl says what is so."""

import pytest
from page_blocks import blocks, run


@pytest.mark.parametrize("block", blocks("verl"))
def test_a_block_runs(block):
    run(block)


def test_there_are_blocks():
    assert blocks("verl")
