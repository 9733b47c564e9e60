"""The versions of a model in an MLflow registry. The only source that imports mlflow.

    source = RegisteredModel("mlflow:my-model")

The server is the one that `MLFLOW_TRACKING_URI` names; what it proxies is downloaded through it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Container, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from evalsi.core.errors import SpecError
from evalsi.training.sources.contract import Found
from evalsi.training.sources.files import RemoteFile, asking
from evalsi.training.steps import Step

if TYPE_CHECKING:
    from mlflow import MlflowClient
    from mlflow.entities.model_registry import ModelVersion

__all__ = ["RegisteredModel", "VersionFolder"]

_FORM: Final = re.compile(r"mlflow:(?://)?(?P<model>[^/:'\"@]+)(?:/(?P<version>[0-9]+))?")
_STEP: Final = re.compile(r"[0-9]{1,18}", re.ASCII)


class RegisteredModel:
    """The versions of a registered model; each is a checkpoint once it is READY.

    Its step is its `step` tag, else its number. Of two versions of one step the newer counts; one
    whose tag is no number is left out.

    Args:
        location: `mlflow:<model>`.

    Raises:
        SpecError: the location has another form, `MLFLOW_TRACKING_URI` is not set, or mlflow is
            not installed.
    """

    def __init__(self, location: str) -> None:
        self._location = location
        self._model, version = _parsed(location)
        if version is not None:
            raise SpecError(f"{location} is one version; to watch, name the model alone")
        self._client = _client(location)

    def scan(self, done: Container[Step] = frozenset()) -> list[Found]:
        """As `CheckpointSource.scan`."""
        with asking(self._location):
            versions = sorted(self._versions(), key=lambda version: int(version.version))
        newest = {
            step: version.version
            for version in versions
            if version.status == "READY" and (step := _step_of(version)) is not None
        }
        return [
            Found(step, f"mlflow:{self._model}/{newest[step]}")
            for step in sorted(newest)
            if step not in done
        ]

    def _versions(self) -> Iterator[ModelVersion]:
        token = None
        while True:
            page = self._client.search_model_versions(f"name='{self._model}'", page_token=token)
            yield from page
            token = page.token
            if not token:
                return


class VersionFolder:
    """The artifacts of one version.

    Args:
        location: `mlflow:<model>/<version>`.

    Raises:
        SpecError: as `RegisteredModel`; or no version is named.
    """

    def __init__(self, location: str) -> None:
        self._location = location
        self._model, version = _parsed(location)
        if version is None:
            raise SpecError(f"{location} is a model; name a version, as in mlflow:{self._model}/1")
        self._version = version
        self._client = _client(location)

    def files(self) -> dict[str, RemoteFile]:
        """As `RemoteFolder.files`, of the files directly in it."""
        with asking(self._location):
            from mlflow.artifacts import list_artifacts

            known = self._client.get_model_version(self._model, self._version)
            made = f"{known.source} {known.creation_timestamp}"
            rows = list_artifacts(artifact_uri=self._uri)
        return {row.path: RemoteFile(row.file_size or 0, made) for row in rows if not row.is_dir}

    def fetch(self, names: Collection[str], into: Path) -> None:
        """As `RemoteFolder.fetch`."""
        with asking(self._location):
            from mlflow.artifacts import download_artifacts

            for name in names:
                download_artifacts(artifact_uri=f"{self._uri}/{name}", dst_path=str(into))

    @property
    def _uri(self) -> str:
        return f"models:/{self._model}/{self._version}"


def _parsed(location: str) -> tuple[str, str | None]:
    match = _FORM.fullmatch(location)
    if match is None:
        raise SpecError(f"{location} is no place in a registry; write mlflow:<model>")
    return match["model"], match["version"]


def _client(location: str) -> MlflowClient:
    if not os.environ.get("MLFLOW_TRACKING_URI"):
        raise SpecError(f"{location} is at no server: set MLFLOW_TRACKING_URI")
    try:
        from mlflow import MlflowClient
    except ImportError as error:
        raise SpecError(
            f"{location} needs a library that is not installed: "
            f"pip install 'evalsi-training[mlflow]'"
        ) from error
    return MlflowClient()


def _step_of(version: ModelVersion) -> int | None:
    told = version.tags.get("step", version.version)
    return int(told) if _STEP.fullmatch(str(told)) else None
