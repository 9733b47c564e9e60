"""Many clients at once: every answer is there, and it is the asker's own."""

import random
from concurrent.futures import ThreadPoolExecutor

from server_kit import Running


def test_a_thousand_requests_of_64_clients_get_their_own_answers(written):
    rows = [(str(n), str(n % 3)) for n in range(1000)]
    random.Random(1).shuffle(rows)

    def asked(row):
        completion, label = row
        return server.ask(f"Q {completion}", prompts=["Q "], labels=[label]).body

    with (
        Running(written("both", "says", "matches"), "--max-in-flight", "32") as server,
        ThreadPoolExecutor(64) as threads,
    ):
        answers = list(threads.map(asked, rows))
    right = [float(completion) + (completion == label) for completion, label in rows]
    assert [answer["rewards"][0] for answer in answers] == right
    assert [answer["extra_logs"]["says"][0] for answer in answers] == [float(c) for c, _ in rows]
