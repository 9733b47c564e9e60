"""The linear form of a pattern gives the verdicts of Python's `re`, or does not exist."""

from __future__ import annotations

import re
import sys
import time
import warnings
from functools import lru_cache
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalsi_pack_rl.alphabet import Alphabet
from evalsi_pack_rl.codepoints import Ranges, case_variants, category, complement
from evalsi_pack_rl.linear import linear_pattern

EVERY_CHARACTER = [chr(point) for point in range(sys.maxunicode + 1)]
EVERY_TEXT = "".join(EVERY_CHARACTER)
CASED_AND_OTHERS = [
    c for c in EVERY_CHARACTER if c.lower() != c or c.upper() != c or ord(c) % 101 == 0
]


def points(ranges: Ranges) -> set[int]:
    return {point for low, high in ranges for point in range(low, high + 1)}


def points_of(pattern: str, flags: int = 0) -> set[int]:
    return {ord(found) for found in re.findall(pattern, EVERY_TEXT, flags | re.DOTALL)}


@pytest.mark.parametrize("ascii_only", [False, True], ids=["unicode", "ascii"])
@pytest.mark.parametrize("name", ["DIGIT", "SPACE", "WORD"])
def test_a_category_is_what_re_takes_it_for(name: str, ascii_only: bool) -> None:
    members = category(f"CATEGORY_{name}", ascii_only=ascii_only)

    assert points(members) == points_of("\\" + name[0].lower(), re.ASCII if ascii_only else 0)


@pytest.mark.parametrize("ascii_only", [False, True], ids=["unicode", "ascii"])
@pytest.mark.parametrize("letter", [chr(point) for point in range(128)], ids=ascii)
def test_an_ascii_letter_without_case_is_what_re_takes_it_for(
    letter: str, ascii_only: bool
) -> None:
    variants = case_variants(ord(letter), ord(letter), ascii_only=ascii_only)

    flags = re.IGNORECASE | (re.ASCII if ascii_only else 0)
    assert variants is not None
    assert points(variants) == points_of(re.escape(letter), flags)


@pytest.mark.parametrize(
    "pattern",
    [r"(?i)\w", r"(?i)[^\W_]", r"(?i)[^k]", r"(?i)[i-k\s]", r"(?i)[^a-z\d]", r"(?ia)[^S]"],
)
def test_a_class_without_case_agrees_on_every_cased_character(pattern: str) -> None:
    linear = linear_pattern(pattern)
    reference = re.compile(pattern)

    assert linear is not None
    agreed = {c: linear.fullmatch(c) == bool(reference.fullmatch(c)) for c in CASED_AND_OTHERS}
    assert [c for c, same in agreed.items() if not same] == []


def test_the_complement_of_a_complement_is_the_same_set() -> None:
    members = category("CATEGORY_WORD", ascii_only=False)

    assert complement(complement(members)) == members


def test_an_alphabet_tells_apart_what_the_classes_tell_apart() -> None:
    alphabet = Alphabet([((0x3B1, 0x3C9),), ((0x3B1, 0x3B1),)])

    alpha, beta, han, eye = alphabet.encoded("αβ漢\ud800")

    assert len({alpha, beta, han}) == 3
    assert han == eye


@pytest.mark.parametrize(
    "pattern",
    [
        r"(?s).*```python\n.*```.*",
        r"(?s)\s*<think>.*?</think>\s*<answer>.*?</answer>\s*",
        r"(?:\w+\s+){3}\d+",
        r"(?i)answer: [a-e]",
        r"(?m)^a$\n^b$",
        r"\Aa\Z",
        r"a$",
        r"(?x) a  # a comment",
        r"(?P<name>a|b)+?",
        r"(?a:\bcat\b)",
        r"[^\d\s]{2,5}",
        r"漢字+",
        r"\x00|\ud800",
        "",
    ],
)
def test_a_common_pattern_has_a_linear_form(pattern: str) -> None:
    assert linear_pattern(pattern) is not None


@pytest.mark.parametrize(
    "pattern",
    [
        r"(a)\1",
        r"a(?=b)b",
        r"(?!b)a",
        r"b?(?<=b)a",
        r"(?<!b)a",
        r"(a)?(?(1)b|c)",
        r"(?>a+)b",
        r"a++b",
        r"\bword\b",
        r"a\B",
        r"a$\n",
        r"(?:a$)*",
        r"(?i)ß",
        r"(?i)[à-ü]",
        r"a{1001}",
        r"(?:a{100}){100}",
    ],
)
def test_a_pattern_that_only_re_understands_has_no_linear_form(pattern: str) -> None:
    assert linear_pattern(pattern) is None


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("a$", "a\n"),
        ("(?m)a$", "a\n"),
        ("(?s).", "\ud800"),
        (".", "\ud83d\ude00"),
        ("..", "\ud83d\ude00"),
        (".", "\U0001f600"),
        ("[\ud800-\udbff]", "\udc00"),
        (".", "\n"),
        (".", "\r"),
        (".", "\u2028"),
        (r"\s", "\x1c"),
        (r"\s", "\x85"),
        (r"\d", "٣"),
        (r"\w", "é"),
        (r"(?a)\w", "é"),
        ("(?i)k", "\u212a"),
        ("(?i)s", "\u017f"),
        ("(?i)i", "İ"),
        ("(?ia)k", "\u212a"),
        ("a\x00b", "a\x00b"),
        ("(a|ab)(c|bcd)", "abcd"),
        ("(a*)*b", "aaab"),
        ("(?:^a|b)*", "ab"),
        ("(?m)(?:^|a)+", "\na"),
        ("", ""),
        ("[]-]", "]"),
        ("[^]]", "x"),
    ],
    ids=ascii,
)
def test_a_corner_has_the_verdict_of_re(pattern: str, text: str) -> None:
    linear = linear_pattern(pattern)

    assert linear is not None
    assert linear.fullmatch(text) == bool(re.fullmatch(pattern, text))


CHARACTERS = st.sampled_from(
    "abAkKiIsS_09 \n\r\x1c\x85\u2028éß\u017f\u212aİ\u0131٣漢\ud800\udfff\U0001f600\x00"
)
ATOMS = st.one_of(
    st.sampled_from(
        [
            r".",
            r"\w",
            r"\W",
            r"\d",
            r"\D",
            r"\s",
            r"\S",
            r"^",
            r"$",
            r"\A",
            r"\Z",
            r"(?a:\b)",
            r"[a-k]",
            r"[^a-k]",
            r"[^\w\s]",
            r"[\d_]",
            r"(?i:k)",
            r"(?i:[^s])",
            r"(?s:.)",
            r"(?m:^)",
            r"(?m:$)",
            r"(?-i:a)",
            r"\x00",
            r"é",
            r"(?:)",
        ]
    ),
    CHARACTERS.map(re.escape),
)
PATTERNS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map("".join),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: f"(?:{'|'.join(parts)})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "*?", "{2}", "{1,2}", "{0,1}?"])).map(
            lambda pair: f"(?:{pair[0]}){pair[1]}"
        ),
        inner.map(lambda part: f"({part})"),
    ),
    max_leaves=6,
)


@settings(max_examples=1500, deadline=None)
@given(
    st.sampled_from(["", "(?i)", "(?m)", "(?s)", "(?a)", "(?im)", "(?ia)"]),
    PATTERNS,
    st.lists(CHARACTERS, max_size=6).map("".join),
)
def test_any_small_pattern_agrees_with_re_on_any_small_text(
    flags: str, pattern: str, text: str
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        linear = linear_pattern(flags + pattern)
        expected = re.fullmatch(flags + pattern, text) is not None

    assert linear is None or linear.fullmatch(text) == expected


@pytest.mark.parametrize(
    "pattern",
    [
        r"(?s).*a.{450}b.*",
        r"(?s).*a.{20}b.*",
        r"(?s).*a.{200}",
        r"(?:a|b)*a(?:a|b){12}",
        r"(?s)(?:.{0,30}a.{0,30}){0,30}",
        r"(?sm).*^(?a:\b)?a.{20}$",
    ],
)
def test_a_pattern_whose_automaton_explodes_has_no_linear_form(pattern: str) -> None:
    assert linear_pattern(pattern) is None


@pytest.mark.parametrize(
    "pattern",
    [
        r"(?s).*a.{3}b.*",
        r".{450}",
        r"[a-z]{1,400}",
        r"(?:[a-z]{1,20} ){1,20}",
        r"(?s)(?:.*\n){0,90}",
        r"(?:a{0}b)*",
        r"(?:){1000}",
        r"(?sm)^<think>$.*^</think>$",
        r"(?a:\b\w+\b\W*)+",
    ],
)
def test_a_pattern_with_a_small_automaton_has_a_linear_form(pattern: str) -> None:
    assert linear_pattern(pattern) is not None


@pytest.mark.parametrize(
    "pattern",
    [
        r"(?s)(.*)*x",
        r"(a+)+b",
        r"(\w+\s?)+!",
        r"(?s)(?:.*\n){0,90}x",
        r"(?s).*a.{3}b.*x",
        r"(?sm).*^a.*$.*^!",
    ],
)
@pytest.mark.parametrize(
    "letters",
    [["a"], ["a", "b"], ["\u00e9", " "], ["a", "\ud800"], list("ab \n\u00e91"), EVERY_CHARACTER],
    ids=["one", "two", "accent", "surrogate", "mixed", "all"],
)
def test_ten_million_characters_take_parts_of_a_second(pattern: str, letters: list[str]) -> None:
    linear = linear_pattern(pattern)
    text = ten_million("".join(letters))
    assert linear is not None

    started = time.process_time()
    linear.fullmatch(text)

    assert time.process_time() - started < 1.5  # 0.3 s at most on a machine that is not busy


@lru_cache(maxsize=1)
def ten_million(letters: str) -> str:
    return "".join(Random(1).choices(letters, k=1_000_000)) * 10
