"""What Prometheus reads at `/metrics`: everything is called `evalsi_reward_…`.

Labels are names that the operator chose: the rewards of clients' own specs share one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)

from evalsi.core.results import ComponentResult, Errored
from evalsi.core.reward.loaded import Settled

__all__ = ["Metrics"]

_SENT: Final = "(sent)"
_REQUEST_S: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 180)
_COMPONENT_S: Final = (0.0001, 0.001, 0.01, 0.1, 0.5, 1, 5, 10, 30, 60)


class Metrics:
    """The counts of one server.

    Args:
        waiting: how many rollouts wait, asked when the metrics are read.
        in_flight: how many are queued or being scored.
    """

    def __init__(self, waiting: Callable[[], int], in_flight: Callable[[], int]) -> None:
        self._registry = CollectorRegistry()
        for collector in (ProcessCollector, PlatformCollector):
            collector(registry=self._registry)
        self._requests = self._counter("requests", "Answers", "route", "status")
        self._rollouts = self._counter("rollouts", "Rollouts that were scored", "spec", "total")
        self._errors = self._counter(
            "errors", "Components that errored", "spec", "component", "kind"
        )
        self._cached = self._counter("cached", "Results from the cache", "spec", "component")
        self._seconds = Histogram(
            "evalsi_reward_request_seconds",
            "From the head of a request to the end of its answer",
            ["route"],
            buckets=_REQUEST_S,
            registry=self._registry,
        )
        self._component = Histogram(
            "evalsi_reward_component_seconds",
            "A component's time for a rollout, where it was computed",
            ["spec", "component"],
            buckets=_COMPONENT_S,
            registry=self._registry,
        )
        self._gauge("rollouts_waiting", "Rollouts that nothing computes yet", waiting)
        self._gauge("rollouts_in_flight", "Rollouts that hold a place", in_flight)

    def answered(self, route: str, status: int, seconds: float) -> None:
        """Counts an answer."""
        self._requests.labels(route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def scored(self, spec: str | None, rows: Sequence[Settled]) -> None:
        """Counts the rewards of a call; None is a spec that a client sent."""
        label = _SENT if spec is None else spec
        for row in rows:
            self._rollouts.labels(label, "none" if row.reward.total is None else "scored").inc()
            for component in row.reward.components:
                self._count(label, _SENT if spec is None else component.name, component)

    def text(self) -> bytes:
        """The exposition."""
        return generate_latest(self._registry)

    def _count(self, spec: str, name: str, component: ComponentResult) -> None:
        if component.cached:
            self._cached.labels(spec, name).inc()
        else:
            self._component.labels(spec, name).observe(component.seconds)
        if isinstance(component.result, Errored):
            self._errors.labels(spec, name, component.result.failure.kind).inc()

    def _counter(self, name: str, what: str, *labels: str) -> Counter:
        return Counter(f"evalsi_reward_{name}", what, labels, registry=self._registry)

    def _gauge(self, name: str, what: str, value: Callable[[], int]) -> None:
        gauge = Gauge(f"evalsi_reward_{name}", what, registry=self._registry)
        gauge.set_function(value)
