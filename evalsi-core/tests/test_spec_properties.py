"""Whatever the text, a spec is read or refused; nothing else comes out of the loader."""

import contextlib
import json

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evalsi.core import SpecError
from evalsi.core.reward.spec import RewardSpec
from evalsi.core.spec import load
from evalsi.core.spec.source import read

# The first draw builds tables of characters, which a busy machine takes its time for.
UNHURRIED = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])

WORDS = st.sampled_from(
    [
        "a",
        ": ",
        "- ",
        "\n",
        "  ",
        "{",
        "}",
        "[",
        "]",
        "&x ",
        "*x",
        "!!int ",
        "'",
        '"',
        "#",
        "\t",
        "|",
    ]
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
    | st.sampled_from(["raise", "a", "rl:a"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["components", "ref", "name", "weight", "clip", "sandbox", "x"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@UNHURRIED
@given(st.lists(WORDS, max_size=30).map("".join))
def test_any_text_is_read_or_refused(text):
    with contextlib.suppress(SpecError):
        read(text + "\n")


@UNHURRIED
@given(st.dictionaries(st.sampled_from(["components", "clip", "judge", "cache"]), VALUES))
def test_any_body_is_loaded_or_refused(body):
    with contextlib.suppress(SpecError):
        load(body, RewardSpec)


@UNHURRIED
@given(VALUES)
def test_json_reads_as_what_wrote_it(value):
    written = {"value": value}
    text = json.dumps(written)
    with contextlib.suppress(SpecError):  # half of a surrogate pair, an enormous integer
        assert read(text).data == json.loads(text)
