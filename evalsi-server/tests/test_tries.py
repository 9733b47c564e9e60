"""Tries of one request: one computation, whoever goes away, and memory that is bounded."""

import asyncio

import pytest
from starlette.responses import Response

from evalsi_server import tries
from evalsi_server.problems import Problem
from evalsi_server.tries import Tries


class Work:
    def __init__(self, size=1, *, fails=False):
        self.begun, self.size, self.fails = 0, size, fails
        self.end = asyncio.Event()

    async def __call__(self):
        self.begun += 1
        await self.end.wait()
        if self.fails:
            raise Problem("busy", "later")
        return Response(b"x" * self.size)


def test_whoever_sent_it_first_may_go_away():
    async def main():
        held, work = Tries(), Work()
        first = asyncio.create_task(held.answer("id", b"a", work))
        await asyncio.sleep(0)
        again = asyncio.create_task(held.answer("id", b"a", work))
        await asyncio.sleep(0)
        first.cancel()
        work.end.set()
        await again
        return work.begun

    assert asyncio.run(main()) == 1


def test_an_id_with_other_content_is_a_conflict_then_and_later():
    async def main():
        held, work = Tries(), Work()
        first = asyncio.create_task(held.answer("id", b"a", work))
        await asyncio.sleep(0)
        with pytest.raises(Problem, match="another request"):
            await held.answer("id", b"b", work)
        work.end.set()
        await first
        with pytest.raises(Problem, match="another request"):
            await held.answer("id", b"b", work)
        return work.begun

    assert asyncio.run(main()) == 1


def test_a_problem_is_not_kept():
    async def main():
        held, work = Tries(), Work(fails=True)
        work.end.set()
        for _ in range(2):
            with pytest.raises(Problem, match="later"):
                await held.answer("id", b"a", work)
        return work.begun

    assert asyncio.run(main()) == 2


@pytest.mark.parametrize("bound", ["_KEPT_S", "_KEPT_BYTES"])
def test_answers_are_kept_within_bounds_of_time_and_memory(bound, monkeypatch):
    async def main():
        held, work = Tries(), Work(size=10)
        work.end.set()
        await held.answer("id", b"a", work)
        await held.answer("id", b"a", work)
        return work.begun

    assert asyncio.run(main()) == 1
    monkeypatch.setattr(tries, bound, 0)
    assert asyncio.run(main()) == 2
