"""A completion's thoughts, put back where a trainer's chat parser took them out.

With a response template (always in TRL's AsyncGRPO) TRL moves what stands between `<think>` and
`</think>` to the message's `reasoning_content`. The layout is rewarded as it was written.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["with_reasoning"]


def with_reasoning(completion: object) -> object:
    """The completion with each message's thoughts in its content; text is as it was.

    Thoughts that nothing follows may have been cut off: they get no closing tag, which the model
    may not have written.
    """
    if not isinstance(completion, list):
        return completion
    return [_whole(message) if isinstance(message, Mapping) else message for message in completion]


def _whole(message: Mapping[str, Any]) -> Mapping[str, Any]:
    thoughts, content = message.get("reasoning_content"), message.get("content") or ""
    if not isinstance(thoughts, str) or not isinstance(content, str) or not thoughts:
        return message
    closing = "</think>" if content or message.get("tool_calls") else ""
    return {**message, "content": f"<think>{thoughts}{closing}{content}"}
