"""What a log comes to, on pieces of what vLLM, uvicorn and the kernel's shells have said."""

import pytest

from evalsi.training.serving.words import telling

HEAD_DIM = """\
(APIServer pid=9) WARNING 11-30 [utils.py:255] This can cause errors like `OSError: [Errno 24] …`
(EngineCore pid=10) ERROR 11-30 [core.py:1512] RuntimeError: Worker failed: head_dim=16 isa=2
(APIServer pid=9) ERROR 11-30 [async_llm.py:906] EngineDeadError: EngineCore met an issue.
"""
TOO_LONG = """\
pydantic_core.ValidationError: 1 validation error for ModelConfig
  Value error, User-specified max_model_len (4096000) is greater than the derived one (256).
    For further information visit https://errors.pydantic.dev
"""
SERVED = """\
INFO:     127.0.0.1:37388 - "POST /v1/chat/completions HTTP/1.1" 500 Internal Server Error
ERROR:    Exception in ASGI application
ValueError: Unrecognized model in /x. Should have a `model_type` key
"""
PLAIN = "loading\nloading\nready to load\nbash: line 1: killed\n"


@pytest.mark.parametrize(
    ("log", "words"),
    [
        (HEAD_DIM, ["RuntimeError: Worker failed: head_dim=16", "EngineDeadError"]),
        (TOO_LONG, ["1 validation error", "max_model_len (4096000)"]),
        (SERVED, ["Unrecognized model in /x"]),
        (PLAIN, ["bash: line 1: killed"]),
        ("one\ntwo\nthree\nfour\n", ["two", "three", "four"]),
        ("", [""]),
    ],
    ids=["vllm", "pydantic", "uvicorn", "killed", "plain", "silent"],
)
def test_the_lines_that_say_most(log, words):
    found = telling(log).split(" | ")

    assert len(found) == len(words)
    assert [word in line for word, line in zip(words, found, strict=True)] == [True] * len(words)
