"""How many requests a server gets at once: more while it answers, half when it has too much."""

from __future__ import annotations

import asyncio
import time

import pytest

from evalsi.core.reward.remote.pace import Pace


def in_loop(test):
    """Runs an async test in a loop of its own."""
    return lambda: asyncio.run(test())


async def full(pace):
    """Takes every place."""
    for _ in range(int(pace.places) - pace.running):
        await pace.turn()


async def round_of(pace):
    """One answer for every place, each while all are taken."""
    for _ in range(int(pace.places)):
        await full(pace)
        pace.answered()


@in_loop
async def test_who_finds_no_place_waits_in_order():
    pace, order = Pace(), []
    await full(pace)

    async def wait(name):
        await pace.turn()
        order.append(name)

    tasks = [asyncio.create_task(wait(name)) for name in "abc"]
    await asyncio.sleep(0)
    assert order == []
    for _ in range(3):
        pace.failed()
    await asyncio.gather(*tasks)
    assert (order, pace.running) == (["a", "b", "c"], 4)


@in_loop
async def test_places_double_each_round_until_the_first_limit():
    pace = Pace()
    await round_of(pace)
    assert pace.places == 8


@in_loop
async def test_a_limit_halves_the_places_once_for_all_that_were_under_way():
    pace = Pace()
    await full(pace)
    begun = time.monotonic()
    for _ in range(4):
        pace.overloaded(begun)
    assert pace.places == 2


@in_loop
async def test_after_a_limit_a_round_adds_one_place():
    pace = Pace()
    await full(pace)
    begun = time.monotonic()
    for _ in range(4):
        pace.overloaded(begun)
    await round_of(pace)
    assert pace.places == pytest.approx(3, abs=0.2)


@in_loop
async def test_one_place_remains():
    pace = Pace()
    for _ in range(10):
        await pace.turn()
        pace.overloaded(time.monotonic())
    assert (pace.places, pace.running) == (1, 0)


@in_loop
async def test_an_idle_server_gets_no_more_places():
    pace = Pace()
    await pace.turn()
    pace.answered()
    assert pace.places == 4


@in_loop
async def test_who_no_longer_waits_takes_no_place():
    pace = Pace()
    await full(pace)
    waiting = [asyncio.create_task(pace.turn()) for _ in range(2)]
    await asyncio.sleep(0)
    waiting[0].cancel()
    pace.failed()
    await asyncio.wait(waiting)
    assert (pace.running, waiting[1].exception()) == (4, None)
