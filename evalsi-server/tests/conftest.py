"""The fakes' folder is on the path, here and in the servers that tests start."""

import json
import sys
from functools import partial
from pathlib import Path

import pytest

FAKES = str(Path(__file__).parent / "fakes")
sys.path.insert(0, FAKES)


@pytest.fixture
def written(tmp_path):
    """Writes a spec of these components, fakes by their short names, and returns its path."""
    return partial(_write, tmp_path)


@pytest.fixture(scope="module")
def writing(tmp_path_factory):
    """As `written`, for servers that a module's tests share."""
    return partial(_write, tmp_path_factory.mktemp("specs"))


def _write(folder, name, *components, **body):
    path = folder / f"{name}.json"
    envelope = {"apiVersion": "evals.si/v1alpha1", "kind": "RewardSpec"}
    body = {"components": list(map(_qualified, components)), **body}
    path.write_text(json.dumps({**envelope, "metadata": {"name": name}, "spec": body}))
    return str(path)


def _qualified(component):
    # Where all distributions are tested together, others have fakes of the same short names.
    given = {"ref": component} if isinstance(component, str) else component
    return {**given, "ref": f"server-fakes:{given['ref']}"}
