"""Places: bounded, in the order of arrival, and none lost."""

import asyncio

import pytest

from evalsi_server.places import Places


async def taking(places, count, log, name):
    await places.take(count)
    log.append(name)


async def settle():
    for _ in range(5):
        await asyncio.sleep(0)


def test_places_that_are_free_are_taken_at_once():
    async def main():
        places = Places(3)
        await places.take(2)
        return places.taken, places.wanted

    assert asyncio.run(main()) == (2, 0)


def test_who_wants_many_is_not_overtaken():
    async def main():
        places, log = Places(3), []
        await places.take(2)
        tasks = [
            asyncio.create_task(taking(places, count, log, name))
            for count, name in ((3, "many"), (1, "few"))
        ]
        await settle()
        assert (log, places.wanted) == ([], 4)
        places.give_back(2)
        await settle()
        assert log == ["many"]
        places.give_back(3)
        await asyncio.gather(*tasks)
        return log, places.taken

    assert asyncio.run(main()) == (["many", "few"], 1)


@pytest.mark.parametrize("granted", [False, True], ids=["waiting", "in the moment of its turn"])
def test_who_goes_away_keeps_no_place_and_blocks_nobody(granted):
    async def main():
        places, log = Places(3), []
        await places.take(3)
        going = asyncio.create_task(taking(places, 3, log, "gone"))
        staying = asyncio.create_task(taking(places, 2, log, "there"))
        await settle()
        if granted:
            places.give_back(3)
        going.cancel()
        if not granted:
            places.give_back(3)
        await staying
        return log, places.taken, places.wanted

    assert asyncio.run(main()) == (["there"], 2, 0)
