"""Installed packs: entry points one by one, switches of the environment, names taken twice."""

import textwrap
from importlib.metadata import entry_points

import pytest

from evalsi.core import PluginError
from evalsi.core.plugins import PluginHost

PLUGIN = """
from evalsi.core.plugins import Plugin, hookimpl

@hookimpl
def evalsi_register_evaluators():
    return [Plugin("zig", "json:loads")]
"""


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Puts a distribution with one entry point on the path, as an installer would."""
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("EVALSI_PLUGINS", "EVALSI_BLOCK_PLUGINS", "EVALSI_STRICT_PLUGINS"):
        monkeypatch.delenv(name, raising=False)

    def add(distribution, pack, text=PLUGIN, version="2.0"):
        module = distribution.replace("-", "_") + "_plugin"
        (tmp_path / f"{module}.py").write_text(textwrap.dedent(text))
        info = tmp_path / f"{distribution.replace('-', '_')}-{version}.dist-info"
        info.mkdir()
        metadata = f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n"
        (info / "METADATA").write_text(metadata)
        (info / "entry_points.txt").write_text(f"[evalsi]\n{pack} = {module}\n")

    return add


def packs(host):
    return {plugin.pack for plugin in host.registered()}


def cause_of(host, pack):
    return " / ".join(failed.cause for failed in host.failures if failed.pack == pack)


def test_an_installed_pack_keeps_its_distribution_and_version(install):
    install("acme-found", "acme")
    found = PluginHost().find("evaluator", "acme:zig")
    assert (found.distribution, found.version) == ("acme-found", "2.0")


def test_core_registers_its_commands_through_its_own_entry_point(install):
    assert PluginHost().find("command", "plugins").full_name == "core:plugins"


def test_a_pack_that_does_not_import_is_kept_as_a_failure_with_its_origin(install):
    install("acme-broken", "acme", "import a_library_that_is_not_there\n")
    (failed,) = [one for one in PluginHost().failures if one.pack == "acme"]
    assert (failed.distribution, failed.version) == ("acme-broken", "2.0")
    assert isinstance(failed.error, ModuleNotFoundError)


def test_a_pack_with_a_syntax_error_is_a_failure(install):
    install("acme-syntax", "acme", "def (:\n")
    assert "SyntaxError" in cause_of(PluginHost(), "acme")


def test_a_pack_that_exits_at_import_is_a_failure(install):
    install("acme-exits", "acme", "raise SystemExit('no')\n")
    assert cause_of(PluginHost(), "acme") == "SystemExit: no"


def test_two_entry_points_of_one_name_fail_and_name_both_distributions(install):
    install("acme-one", "acme")
    install("acme-two", "acme", version="3.1")
    host = PluginHost()
    assert "acme" not in packs(host)
    cause = cause_of(host, "acme")
    assert "acme-one 2.0" in cause
    assert "acme-two 3.1" in cause


def test_nobody_takes_the_place_of_core(install):
    install("acme-impostor", "core")
    host = PluginHost()
    assert host.find("command", "plugins").distribution == "evalsi-core"
    assert "acme-impostor" in cause_of(host, "core")


def test_an_entry_point_with_a_bad_name_is_a_failure(install):
    install("acme-named", "Acme Pack")
    assert "is no pack name" in cause_of(PluginHost(), "Acme Pack")


def test_a_blocked_pack_is_left_out_and_listed(install, monkeypatch):
    install("acme-blocked", "acme")
    monkeypatch.setenv("EVALSI_BLOCK_PLUGINS", "other, acme")
    host = PluginHost()
    assert "acme" not in packs(host)
    assert [pack.name for pack in host.blocked] == ["acme"]


def test_a_blocked_pack_is_not_even_imported(install, monkeypatch):
    install("acme-unseen", "acme", "raise RuntimeError('imported')\n")
    monkeypatch.setenv("EVALSI_BLOCK_PLUGINS", "acme")
    assert cause_of(PluginHost(), "acme") == ""


def test_the_exact_list_leaves_out_what_it_does_not_name(install, monkeypatch):
    install("acme-listed", "acme")
    install("acme-unlisted", "other")
    monkeypatch.setenv("EVALSI_PLUGINS", "acme")
    assert packs(PluginHost()) == {"core", "acme"}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("EVALSI_PLUGINS", ""),
        ("EVALSI_BLOCK_PLUGINS", ",".join(entry_points(group="evalsi").names)),
    ],
    ids=["none named", "all blocked"],
)
def test_core_always_stays(install, monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    assert packs(PluginHost()) == {"core"}


def test_the_exact_list_names_a_pack_that_is_not_installed(install, monkeypatch):
    monkeypatch.setenv("EVALSI_PLUGINS", "nobody")
    cause = cause_of(PluginHost(), "nobody")
    assert "EVALSI_PLUGINS names 'nobody', which no installed distribution registers" in cause


def test_strict_mode_raises_the_first_failure(install, monkeypatch):
    install("acme-strict", "acme", "import a_library_that_is_not_there\n")
    monkeypatch.setenv("EVALSI_STRICT_PLUGINS", "1")
    with pytest.raises(PluginError, match="acme") as caught:
        PluginHost()
    assert isinstance(caught.value.__cause__, ModuleNotFoundError)
