"""Whether a completion is brief."""

from evalsi.core import Record


class Brief:
    """1 when the completion has at most 100 words, else 0."""

    reads = ("output",)
    bounded = True

    def score(self, record: Record) -> bool:
        """The verdict on one completion."""
        return len(record.output.split()) <= 100
