"""The judging evaluators from a spec to a judge that is asked over HTTP, and back."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from evalsi.core.errors import SpecError
from evalsi.core.results import Errored, Score
from evalsi.core.reward import load_reward


class Longest(BaseHTTPRequestHandler):
    """A judge that thinks longer is better, and cannot judge what holds "mumble"."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # head and body go apart: 40 ms an answer else

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        asked = body["messages"][1]["content"]
        texts = re.findall(r"<([\w-]*response)-\w+>\n(.*?)\n</", asked, re.DOTALL)
        if "mumble" in asked:
            said = "I cannot say."
        elif len(texts) == 1:
            said = json.dumps({"reasons": "its length", "grade": min(5, len(texts[0][1]))})
        else:
            first, second = (len(text) for _, text in texts)
            better = "neither" if first == second else "first" if first > second else "second"
            said = json.dumps({"reasons": "its length", "better": better})
        message = {"role": "assistant", "content": said}
        reply = json.dumps({"choices": [{"message": message, "finish_reason": "stop"}]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def judge() -> Iterator[dict[str, object]]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Longest) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield {"model": "longest", "base_url": f"http://127.0.0.1:{server.server_port}/v1"}
        server.shutdown()
        thread.join()


def rollouts(*completions: str) -> list[dict[str, str]]:
    return [{"prompt": "Say something.", "completion": text} for text in completions]


def test_grades_of_a_served_judge_become_scores(judge: dict[str, object]) -> None:
    component = {"ref": "llm-judge", "params": {"rubric": "helpfulness"}}
    reward = load_reward({"components": [component], "judge": judge})

    short, long = reward.score(rollouts("a", "abcde"))

    assert (short.total, long.total) == (0.0, 1.0)
    assert "longest" in long["llm-judge"].by.backend
    assert "prompt " in long["llm-judge"].by.backend


def test_a_group_is_compared_by_a_served_judge(judge: dict[str, object]) -> None:
    component = {"ref": "pairwise-judge", "params": {"rubric": "helpfulness"}}
    reward = load_reward({"components": [component], "judge": judge})

    scored = reward.score(rollouts("a", "abc", "ab"))

    assert [one.total for one in scored] == [0.0, 1.0, 0.5]


def test_a_judge_that_gives_no_answer_is_an_error_and_no_number(judge: dict[str, object]) -> None:
    components = [
        {"ref": "llm-judge", "params": {"rubric": "helpfulness"}},
        {"ref": "pairwise-judge", "params": {"rubric": "helpfulness"}},
    ]
    reward = load_reward({"components": components, "judge": judge, "onError": "none"})

    bad, good = reward.score(rollouts("mumble", "abcde"))

    for name in ("llm-judge", "pairwise-judge"):
        result = bad[name].result
        assert isinstance(result, Errored)
        assert result.failure.kind == "judge"
    assert bad.total is None
    assert isinstance(good["llm-judge"].result, Score)


def test_without_a_judge_the_spec_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EVALSI_JUDGE_MODEL", raising=False)
    component = {"ref": "llm-judge", "params": {"rubric": "helpfulness"}}

    with pytest.raises(SpecError, match="judge"):
        load_reward({"components": [component]})
