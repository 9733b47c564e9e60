"""`evalsi plugins`: origin of every plugin, state of every pack."""

import json

import pytest
from click.testing import CliRunner

from evalsi.core import plugins as plugins_package
from evalsi.core.cli.root import root
from evalsi.core.plugins import PluginHost, host


@pytest.fixture
def fresh(tmp_path, monkeypatch):
    """No host is kept from another test; packs may be put on the path."""
    monkeypatch.syspath_prepend(str(tmp_path))
    host.default_host.cache_clear()
    yield tmp_path
    host.default_host.cache_clear()


def install(folder, pack, text):
    module = f"listed_{pack}"
    (folder / f"{module}.py").write_text(text)
    info = folder / f"listed_{pack}-4.5.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: listed-{pack}\nVersion: 4.5\n")
    (info / "entry_points.txt").write_text(f"[evalsi]\n{pack} = {module}\n")


def rows():
    ended = CliRunner().invoke(root, ["plugins", "--json"])
    assert ended.exit_code == 0
    return json.loads(ended.stdout)


def test_every_plugin_is_listed_with_its_origin(fresh):
    (row,) = [row for row in rows() if row["name"] == "core:plugins"]
    assert row["kind"] == "command"
    assert row["distribution"] == "evalsi-core"
    assert row["target"] == "evalsi.core.cli.plugins:plugins"
    assert row["state"] == "ok"


def test_a_pack_that_failed_is_listed_with_its_cause_and_the_exit_code_is_0(fresh):
    install(fresh, "broken", "import a_library_that_is_not_there\n")
    (row,) = [row for row in rows() if row["name"] == "broken"]
    assert (row["kind"], row["state"], row["version"]) == ("pack", "FAILED", "4.5")
    assert row["cause"] == "ModuleNotFoundError: No module named 'a_library_that_is_not_there'"


def test_a_blocked_pack_is_listed_as_blocked(fresh, monkeypatch):
    install(fresh, "quiet", "")
    monkeypatch.setenv("EVALSI_BLOCK_PLUGINS", "quiet")
    (row,) = [row for row in rows() if row["name"] == "quiet"]
    assert row["state"] == "blocked"


def test_the_table_has_the_cause_below_it(fresh):
    install(fresh, "broken", "import a_library_that_is_not_there\n")
    printed = CliRunner().invoke(root, ["plugins"]).stdout
    assert printed.splitlines()[0].split() == [
        "kind",
        "name",
        "distribution",
        "version",
        "target",
        "state",
    ]
    assert "the pack broken failed: ModuleNotFoundError" in printed.splitlines()[-1]


def test_the_default_host_is_made_once(fresh):
    assert isinstance(plugins_package.default_host(), PluginHost)
    assert plugins_package.default_host() is plugins_package.default_host()
