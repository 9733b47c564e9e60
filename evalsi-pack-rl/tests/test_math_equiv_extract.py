"""Where a completion states its final answer, and what is no answer."""

from __future__ import annotations

import pytest

from evalsi_pack_rl.math_equiv.extract import extract


@pytest.mark.parametrize(
    ("completion", "answer", "source"),
    [
        ("#### 72", "72", "marker"),
        ("#### 7<|im_end|>", "7", "marker"),
        ("#### Answer: 7", "7", "phrase"),
        ("#### Step 2\nSo 3 + 4 is $7$.", "7", "math"),
        ("so \\boxed{5}", "5", "box"),
        ("\\fbox{5}", "5", "box"),
        ("\\boxed {5}", "5", "box"),
        ("\\boxed{\\boxed{5}}", "\\boxed{5}", "box"),
        ("\\boxed{\\frac{a}{b}} done", "\\frac{a}{b}", "box"),
        ("\\boxed{\\{1\\}}", "\\{1\\}", "box"),
        ("put it in \\boxed please: \\boxed{7} (\\boxed)", "7", "box"),
        ("\\boxed{5} then #### 7", "5", "box"),
        ("<think>\\boxed{5}</think> So \\boxed{6}.", "6", "box"),
        ("<answer>it is \\boxed{5}</answer>", "5", "box"),
        ("<answer> 6 </answer>", "6", "tag"),
        ("<answer>6</answer><answer>7</answer>", "7", "tag"),
        ("\\boxed{6} <answer>7</answer>", "7", "tag"),
        ("<answer>6</answer> \\boxed{7}", "7", "box"),
        ("<answer>6", "6", "tag"),
        ("<answer>6</ans", "6", "tag"),
        ("The final answer is: 12.", "12.", "phrase"),
        ("the answer is x", "x", "phrase"),
        ("The answer is 36 sq. inches. That is all.", "36 sq. inches", "phrase"),
        ("The answer is Mrs. Hilt.", "Mrs. Hilt.", "phrase"),
        ("The answer is 3:30 p.m. on Monday.", "3:30 p.m. on Monday.", "phrase"),
        ("The answer is 4. No wait, the answer is 5.", "5.", "phrase"),
        ("The answer is 5. I hope this answer helps.", "5", "phrase"),
        ("The answer to part (a) is 5", "5", "phrase"),
        ("**Answer:** 5", "5", "phrase"),
        ("Answer:\n\n$$5$$", "$$5$$", "phrase"),
        ("**Final Answer**\n\n$5$", "$5$", "phrase"),
        ("The answer is 5 because 3 + 2 = 5.", "5", "phrase"),
        ("The answer is 5, since 3 + 2 = 5.", "5", "phrase"),
        ("The answer is $5$, which is the sum of all of them.", "$5$", "phrase"),
        ("The correct option is C because A is too small.", "C", "choice"),
        ("**C**", "C", "whole"),
        ("x^2 + 1", "x^2 + 1", "whole"),
        ("So the result is\n\\[\nx = 12\n\\]", "x = 12", "math"),
        ("3 and then 4 dollars", "4", "number"),
        (
            "The matrix is $\\begin{pmatrix}1 & 0\\end{pmatrix}$.",
            "\\begin{pmatrix}1 & 0\\end{pmatrix}",
            "math",
        ),
        ("He paid 3$ and then 5$", "5", "number"),
        ("there were 1,250 of them", "1,250", "number"),
        ("which gives x as \\frac{1}{2}", "\\frac{1}{2}", "number"),
        ("There are these: 1, 2, 3", "1, 2, 3", "number"),
        ("I got 17 " + "and so on " * 1000, "17", "number"),
    ],
)
def test_the_answer_is_found_where_it_is_stated(completion: str, answer: str, source: str) -> None:
    assert extract(completion, last_number=True) == (answer, source, "")


@pytest.mark.parametrize(
    ("completion", "reason"),
    [
        ("", "no-answer"),
        ("I do not know.", "no-answer"),
        ("\\boxed{5", "unclosed-box"),
        ("\\boxed{4} No, wait: \\boxed{5", "unclosed-box"),
        ("\\boxed{}", "empty-box"),
        ("\\boxed{5} \\boxed{ }", "empty-box"),
        ("<answer></answer> 6", "empty-answer"),
        ("#### ", "empty-answer"),
        ("<think>\\boxed{5}", "unclosed-think"),
        ("<think>a</think>\\boxed{5}<think>b", "unclosed-think"),
        ("\\boxed{5} or \\boxed{6}", "hedged"),
        ("\\boxed{5}\\boxed{6}", "hedged"),
        ("\\boxed{5}\n\n$\\boxed{6}$", "hedged"),
        ("<answer>5</answer> or <answer>6</answer>", "hedged"),
        ("The answer is not 5.", "negated"),
    ],
)
def test_what_is_no_answer_says_why(completion: str, reason: str) -> None:
    found = extract(completion, last_number=True)

    assert found.answer is None
    assert found.reason == reason


@pytest.mark.parametrize(
    ("completion", "answer"),
    [
        ("\\boxed{5}. That is, \\boxed{5}", "5"),
        ("\\boxed{5} or \\boxed{ 5 }", "5"),
        ("\\boxed{5}. On reflection, \\boxed{6}.", "6"),
        ("\\boxed{5} and \\boxed{6}", "5, 6"),
        ("\\boxed{5}, \\boxed{6}, and \\boxed{7}", "5, 6, 7"),
        ("$x=\\boxed{3}$ and $y=\\boxed{5}$", "x = 3, y = 5"),
        ("\\boxed{1 \\text{ or } \\boxed{2}}", "1 \\text{ or } \\boxed{2}"),
        ("\\boxed{5}" * 50, "5"),
    ],
)
def test_several_boxes_are_one_answer_or_a_correction(completion: str, answer: str) -> None:
    assert extract(completion, last_number=False).answer == answer


@pytest.mark.parametrize(
    ("completion", "answer"),
    [
        ("So there are 3 x 4 = 12 boys", "12"),
        ("I got 7, not 8.", "7"),
        ("Each gets 6 candies (24/4 = 6, rest 0).", "6"),
        ("So x = 4, since x = -2 is negative.", "4"),
        ("Step 1: 3+4=7\nStep 2:", "7"),
        ("Total: 1 234", "1 234"),
        ("He ate 2 1/2 pies.", "2 1/2"),
        ("So it is 2 + 3i.", "2 + 3i"),
        ("So it is log_2(8).", "log_2(8)"),
        ("so there are 2^5 ways", "2^5"),
        ("so $2\\frac{3}{4}$ apples", "2\\frac{3}{4}"),
        ("The point is (2,5).", "(2,5)"),
        ("So x \u2260 5.", "x \u2260 5"),
        ("It is more than 3.", "more than 3"),
        ("It earned 3 million dollars.", "3 million"),
        ("They are 2 and 5.", "2 and 5"),
        ("Call 555-1234 now", "555-1234"),
    ],
)
def test_the_last_number_comes_with_what_it_is_part_of(completion: str, answer: str) -> None:
    assert extract(completion, last_number=True) == (answer, "number", "")


@pytest.mark.parametrize("completion", ["So it is 5.", "x = 5", "**C**", "I choose B.", "$5$"])
def test_without_the_fallback_only_a_stated_answer_counts(completion: str) -> None:
    assert extract(completion, last_number=False) == (None, "", "no-answer")


@pytest.mark.parametrize(
    "unit",
    [
        *("\\boxed ", "\\boxed{", "\\boxed{5}", "\\boxed{5} or ", "<answer>", "</answer>", "####"),
        *("answer is ", "Answer\n", "9", "9 ", "1,", "{", "}", "$", "$ ", "\\frac{1}{", "a", "a "),
        *("\n", " ", "\\(", "=", "choose A ", "<|", "\\", "\ud800", "*", "\\text{"),
    ],
    ids=ascii,
)
@pytest.mark.parametrize("head", ["", "\\boxed{", "<answer>", "#### ", "The answer is ", "$", "7 "])
def test_extraction_passes_each_character_a_bounded_number_of_times(head: str, unit: str) -> None:
    text = Counted(head + unit * (200_000 // len(unit)))

    extract(text, last_number=True)

    assert text.passed <= 40 * len(text)


class Counted(str):
    """A text that counts the characters which its searches may have passed over."""

    __slots__ = ("passed",)

    def __init__(self, text: str) -> None:
        self.passed = 0

    def rfind(self, sought: str, begin: int = 0, end: int | None = None) -> int:  # type: ignore[override]
        found = super().rfind(sought, begin, end)
        self.passed += (len(self) if end is None else end) - max(found, begin)
        return found

    def find(self, sought: str, begin: int = 0, end: int | None = None) -> int:  # type: ignore[override]
        found = super().find(sought, begin, end)
        last = len(self) if end is None else end
        self.passed += (found if found >= 0 else last) - begin
        return found
