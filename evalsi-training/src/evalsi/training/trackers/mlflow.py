"""MLflow: metrics of a run, while it is active or long after. The only file that imports mlflow."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from evalsi.core.errors import SpecError
from evalsi.training.sources.files import shown
from evalsi.training.trackers.contract import TrackerError
from evalsi.training.trackers.message import Message

if TYPE_CHECKING:
    from mlflow import MlflowClient

__all__ = ["MLflow"]

_REFUSED: Final = re.compile(r"[^\w./: -]", re.ASCII)


class MLflow:
    """One run of an MLflow server, which may have finished.

    MLflow takes other names than ours: `pass@8` is `pass:8` there, and `refusal[harmful]` is
    `refusal:harmful`.

    Args:
        run_id: the run; None: the one that is active in this process, else `MLFLOW_RUN_ID`.
        tracking_uri: the server; None: as MLflow itself finds it.
        model: a registered model whose version with the tag `step` gets the tag `evalsi.status`.

    Raises:
        SpecError: mlflow is not installed, or there is no run.
    """

    def __init__(
        self,
        run_id: str | None = None,
        tracking_uri: str | None = None,
        model: str | None = None,
    ) -> None:
        mlflow = _library()
        active = mlflow.active_run() if run_id is None else None
        found = active.info.run_id if active else run_id or os.environ.get("MLFLOW_RUN_ID")
        if not found:
            raise SpecError(
                "no MLflow run is active here: give --tracker-arg run_id=…, or set MLFLOW_RUN_ID"
            )
        if active is None:
            # Its own patience is minutes for each request, in which no checkpoint is evaluated.
            os.environ.setdefault("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "2")
            os.environ.setdefault("MLFLOW_HTTP_REQUEST_TIMEOUT", "30")
        self._run_id = found
        self._client: MlflowClient = mlflow.MlflowClient(tracking_uri)
        self._model = model
        self.destination = f"mlflow run {found}"

    def publish(self, messages: Iterable[Message]) -> Iterator[Message]:
        """As `Tracker.publish`: one request a message."""
        from mlflow.entities import Metric

        for message in messages:
            # The store drops what it has with the same time; a new one would be a second point.
            time_ms = int(datetime.fromisoformat(message.made).timestamp() * 1000)
            points = [
                Metric(_name(name), value, time_ms, message.at)
                for name, value in message.row().items()
            ]
            with self._told(message):
                self._client.log_batch(self._run_id, points, synchronous=True)
                self._tag(message)
            yield message

    def has(self, message: Message) -> bool:
        """As `CanBeAsked.has`."""
        with self._told(message):
            return all(
                any((held.step, held.value) == (message.at, value) for held in self._held(name))
                for name, value in message.row().items()
            )

    def close(self) -> None:
        """Holds nothing."""

    def _held(self, name: str) -> Iterable[Any]:
        held: Iterable[Any] = self._client.get_metric_history(self._run_id, _name(name))
        return held

    def _tag(self, message: Message) -> None:
        if self._model is None:
            return
        name = self._model.replace("'", "")
        of_step = f"name='{name}' and tag.step='{message.step}'"
        for version in self._client.search_model_versions(of_step):
            self._client.set_model_version_tag(
                version.name, version.version, "evalsi.status", message.status
            )

    @contextlib.contextmanager
    def _told(self, message: Message) -> Iterator[None]:
        from mlflow.exceptions import MlflowException

        try:
            yield
        except MlflowException as error:  # it wraps what its transport raises
            raise TrackerError(
                f"{self.destination} did not take step {message.step}: {shown(error)}"
            ) from error


def _library() -> Any:
    try:
        import mlflow
    except ImportError as error:
        raise SpecError(
            "the tracker mlflow needs mlflow: pip install 'evalsi-training[mlflow]'"
        ) from error
    return mlflow


def _name(ours: str) -> str:
    flat = ours.replace("[", ":").replace("]", "").replace("@", ":")
    return _REFUSED.sub("_", flat)
