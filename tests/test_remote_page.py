"""The JSON that the page on remote scoring shows is what is said on the wire."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from evalsi.core.reward import load_reward
from evalsi.core.reward.wire import answer_bytes, read_request

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs/reference/remote-scoring.md").read_text("utf-8")
ASKED, ANSWERED = re.findall(r"^```json\n(.*?)\n```", PAGE, re.MULTILINE | re.DOTALL)


def told() -> dict[str, Any]:
    request = read_request(ASKED.encode())
    reward = load_reward(ROOT / "examples/finetuning/math-reward.yaml")
    assert request.spec == reward.terms.name
    settled = reward.rewards(reward.records(request.rollouts))
    status, body = answer_bytes(reward, settled, evidence=False)
    assert status == 200
    answer: dict[str, Any] = json.loads(body)
    return answer


def without_what_changes(answer: dict[str, Any]) -> dict[str, Any]:
    for reward in answer["rewards"]:
        for component in reward["components"].values():
            component.pop("seconds", None)
            component.pop("cached", None)
    for by in answer["by"].values():
        del by["version"]
        by.pop("backend", None)
    return answer


def test_the_answer_is_the_one_that_the_page_shows() -> None:
    assert without_what_changes(told()) == without_what_changes(json.loads(ANSWERED))


def test_every_field_of_an_answer_is_described() -> None:
    fields = {*told(), *told()["rewards"][0], *told()["rewards"][0]["components"]["format"]}
    assert [field for field in fields if f"`{field}`" not in PAGE] == []
