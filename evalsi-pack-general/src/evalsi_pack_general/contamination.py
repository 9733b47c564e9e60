"""Whether what a model is evaluated on was in its training data."""

from __future__ import annotations

import functools
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from evalsi.core.errors import DataError
from evalsi.core.evaluator import Answer, Direction, Need, Tools
from evalsi.core.results import JSON, Score, Skipped
from evalsi_pack_general.hash_set import HashSet
from evalsi_pack_general.min_hash import EMPTY, MinHashIndex, signature
from evalsi_pack_general.references import accepted
from evalsi_pack_general.sequence_hash import plain_words, sequence_hashes
from evalsi_pack_general.training_texts import training_texts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalsi.core.records import Record

__all__ = ["Contamination", "ContaminationParams"]

_SHINGLE: Final = 5
_MOST_WORDS: Final = 200_000
_PIECE: Final = 100_000
_MOST_SEQUENCES: Final = 50_000_000
_MOST_TEXTS: Final = 200_000
_METRICS: Final[dict[str, Direction]] = {
    "contamination": "lower",
    "contamination.similarity": "lower",
    "contamination.flagged": "lower",
}


class ContaminationParams(BaseModel):
    """The training data, and what is looked for in it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str = Field(
        min_length=1,
        description="File of training data: .jsonl, .csv or lines of text, also .gz, or .parquet; "
        "a relative path starts beside the spec.",
    )
    field: str | None = Field(
        default=None, min_length=1, description="Field of a row; null: all texts in the row."
    )
    n: int = Field(default=13, ge=1, le=100, description="Words in a row that count as the same.")
    against: tuple[Literal["input", "reference", "output"], ...] = Field(
        default=("input",), min_length=1, description="What of the record is looked for."
    )
    min_hash: bool = Field(
        default=True, description="Also find the training text that is most similar as a whole."
    )
    threshold: float = Field(
        default=0.8, gt=0, le=1, description="Share or similarity from which a record is flagged."
    )


class Contamination:
    """The share of a record's word sequences that stand in the training data, in [0, 1].

    Lower is better. Further metrics: the estimated similarity (Jaccard, of sequences of 5 words) to
    the most similar training text, and whether either reaches the threshold. Case and punctuation
    make no difference. Of a text the first 200,000 words count. Skipped where the record has fewer
    than n words.

    Source: Brown et al. 2020, GPT-3, appendix C (13 words); Broder 1997 (min-hash).
    """

    Params = ContaminationParams
    needs = frozenset[Need]()
    bounded = True
    metrics = _METRICS
    paths = ("path",)

    @staticmethod
    def reads(params: ContaminationParams) -> tuple[str, ...]:
        """The parts of the record that are looked for."""
        return params.against

    def __init__(self, params: ContaminationParams, tools: Tools) -> None:  # noqa: ARG002
        path = Path(params.path)
        self._params = params
        self._index = _index(path, _state(path), params.field, params.n, min_hash=params.min_hash)

    def score(self, record: Record) -> Answer:
        """The contamination of one record; raises `DataError` for a reference that is no text."""
        words = [[*islice(plain_words(text), _MOST_WORDS)] for text in self._texts(record)]
        sequences = [one for text in words for one in sequence_hashes(text, self._params.n)]
        if not sequences:
            return Skipped(f"the record has fewer than {self._params.n} words")
        found = sum(one in self._index.sequences for one in sequences)
        share = found / len(sequences)
        metrics = {"contamination": share}
        evidence: dict[str, JSON] = {"found": found, "sequences": len(sequences)}
        if self._index.texts is not None:
            shingles = (one for text in words for one in sequence_hashes(text, _SHINGLE))
            similar = self._index.texts.most_similar(signature(shingles))
            metrics["contamination.similarity"] = evidence["similarity"] = similar
        flagged = max(metrics.values()) >= self._params.threshold
        metrics["contamination.flagged"] = float(flagged)
        return Score(share, metrics, "flagged" if flagged else "clean", evidence)

    def _texts(self, record: Record) -> list[str]:
        texts: list[str] = []
        for part in self._params.against:
            texts += accepted(record.reference) if part == "reference" else [getattr(record, part)]
        return texts


class _Index(NamedTuple):
    sequences: HashSet
    texts: MinHashIndex | None


def _state(path: Path) -> tuple[int, ...]:
    """What differs once the file was written again."""
    seen = path.stat()
    return seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns


@functools.lru_cache(maxsize=2)
def _index(
    path: Path,
    state: tuple[int, ...],  # noqa: ARG001 - it keys the cache
    field: str | None,
    n: int,
    *,
    min_hash: bool,
) -> _Index:
    index = _Index(HashSet(), MinHashIndex() if min_hash else None)
    total = 0
    for text in training_texts(path, field):
        mark = EMPTY
        for piece in _pieces(text, max(n, _SHINGLE) - 1):
            total += max(0, len(piece) - n + 1)
            _require_room(path, total, index.texts)
            index.sequences.update(sequence_hashes(piece, n))
            if index.texts is not None:
                mark = signature(sequence_hashes(piece, _SHINGLE), mark)
        if index.texts is not None:
            index.texts.add(mark)
    if not total:
        raise DataError(f"{path} holds no text of {n} words; nothing could be found in it")
    return index


def _pieces(text: str, shared: int) -> Iterator[list[str]]:
    """The words of a text, some at a time; each piece begins with the last words of that before."""
    words = plain_words(text)
    piece = [*islice(words, _PIECE)]
    while piece:
        yield piece
        further = [*islice(words, _PIECE)]
        piece = [*piece[-shared:], *further] if further else []


def _require_room(path: Path, sequences: int, texts: MinHashIndex | None) -> None:
    if sequences > _MOST_SEQUENCES:
        raise DataError(f"{path} has more than {_MOST_SEQUENCES:,} words; split it")
    if texts is not None and len(texts) >= _MOST_TEXTS:
        raise DataError(f"{path} has more than {_MOST_TEXTS:,} texts; set min_hash: false")
