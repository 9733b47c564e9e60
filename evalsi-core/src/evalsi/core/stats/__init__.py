"""Statistics: pure functions of numbers, from the standard library alone.

What a run's summary, a gate and a learning curve say about chance is computed here and nowhere
else. `testdata/stat_vectors.json` states the answers; `docs/reference/statistics.md` says when
which interval is used.
"""

from __future__ import annotations

from evalsi.core.stats.bonett_price import bonett_price_interval
from evalsi.core.stats.bootstrap import Bootstrap, bootstrap
from evalsi.core.stats.changes import Changes, comparison_of
from evalsi.core.stats.comparison import Comparison, PairedMethod, change_if_missing, regressed
from evalsi.core.stats.intervals import Interval, Method, interval_of
from evalsi.core.stats.mcnemar import mcnemar_exact, mcnemar_score
from evalsi.core.stats.multiplicity import benjamini_hochberg, bonferroni, holm, spent_alpha
from evalsi.core.stats.paired import compare
from evalsi.core.stats.passk import pass_at_k, pass_hat_k
from evalsi.core.stats.power import records_needed, sd_of_change, smallest_change
from evalsi.core.stats.student import t_critical, t_two_sided
from evalsi.core.stats.tango import tango_interval
from evalsi.core.stats.wilson import wilson_interval

__all__ = [
    "Bootstrap",
    "Changes",
    "Comparison",
    "Interval",
    "Method",
    "PairedMethod",
    "benjamini_hochberg",
    "bonett_price_interval",
    "bonferroni",
    "bootstrap",
    "change_if_missing",
    "compare",
    "comparison_of",
    "holm",
    "interval_of",
    "mcnemar_exact",
    "mcnemar_score",
    "pass_at_k",
    "pass_hat_k",
    "records_needed",
    "regressed",
    "sd_of_change",
    "smallest_change",
    "spent_alpha",
    "t_critical",
    "t_two_sided",
    "tango_interval",
    "wilson_interval",
]
