"""The host: names, ambiguity, broken hooks, and what an unknown name is told."""

import importlib
import textwrap

import pytest

from evalsi.core import PluginError
from evalsi.core.plugins import PluginHost

IMPORTS = "from evalsi.core.plugins import Plugin, hookimpl\n"


@pytest.fixture
def pack(tmp_path, monkeypatch):
    """Writes and imports a module that registers what its text says."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def make(name, text):
        (tmp_path / f"{name}.py").write_text(IMPORTS + textwrap.dedent(text))
        importlib.invalidate_caches()
        return importlib.import_module(name)

    return make


@pytest.fixture
def evaluators(pack):
    """A pack with evaluators of these names, whose targets are all `json:loads`."""

    def make(name, *names):
        plugins = ", ".join(f"Plugin({n!r}, 'json:loads', 'About {n}.')" for n in names)
        return pack(name, f"@hookimpl\ndef evalsi_register_evaluators():\n    return [{plugins}]\n")

    return make


def failure_of(module):
    host = PluginHost([module])
    assert host.registered() == ()
    (failed,) = host.failures
    return failed.cause


def test_plugins_are_sorted_by_kind_name_and_pack(evaluators):
    host = PluginHost([evaluators("host_b", "zig", "zag"), evaluators("host_a", "zig")])
    assert [p.full_name for p in host.registered("evaluator")] == [
        "host_b:zag",
        "host_a:zig",
        "host_b:zig",
    ]


def test_a_bare_name_finds_its_plugin(evaluators):
    host = PluginHost([evaluators("host_bare", "zig")])
    assert host.find("evaluator", "zig").full_name == "host_bare:zig"


def test_a_bare_name_in_two_packs_is_refused_and_names_both(evaluators):
    host = PluginHost([evaluators("host_one", "zig"), evaluators("host_two", "zig")])
    with pytest.raises(PluginError, match=r"host_one:zig .* and host_two:zig .*full name"):
        host.find("evaluator", "zig")


def test_a_full_name_finds_its_plugin_when_the_bare_one_is_ambiguous(evaluators):
    host = PluginHost([evaluators("host_left", "zig"), evaluators("host_right", "zig")])
    assert host.find("evaluator", "host_right:zig").pack == "host_right"


def test_an_unknown_name_is_told_the_nearest_and_the_known(evaluators):
    host = PluginHost([evaluators("host_known", "math-equiv", "length")])
    with pytest.raises(PluginError) as caught:
        host.find("evaluator", "math-eqiv")
    assert str(caught.value) == (
        'no evaluator is named "math-eqiv"; did you mean "math-equiv"? known: length, math-equiv'
    )


def test_an_unknown_name_is_told_which_pack_failed_and_chained_from_it(evaluators, pack):
    broken = pack("host_broken", "@hookimpl\ndef evalsi_register_evaluators():\n    return 1 / 0\n")
    host = PluginHost([evaluators("host_sound", "zig"), broken])
    with pytest.raises(PluginError, match="'host_broken' failed: ZeroDivisionError") as caught:
        host.find("evaluator", "zag")
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_a_full_name_of_another_pack_does_not_blame_the_failed_one(evaluators, pack):
    broken = pack("host_guilty", "@hookimpl\ndef evalsi_register_evaluators():\n    return 1 / 0\n")
    host = PluginHost([evaluators("host_innocent", "zig"), broken])
    with pytest.raises(PluginError) as caught:
        host.find("evaluator", "host_innocent:zag")
    assert "host_guilty" not in str(caught.value)


def test_a_pack_that_fails_does_not_hide_another(evaluators, pack):
    broken = pack("host_raises", "@hookimpl\ndef evalsi_register_evaluators():\n    return 1 / 0\n")
    host = PluginHost([broken, evaluators("host_goes_on", "zig")])
    assert [p.name for p in host.registered("evaluator")] == ["zig"]


def test_load_gives_what_the_target_points_at(evaluators):
    import json

    assert PluginHost([evaluators("host_loads", "zig")]).load("evaluator", "zig") is json.loads


def test_an_import_that_fails_names_the_distribution_and_keeps_its_cause():
    plugin = importlib.import_module("spec_fakes.plugin")
    with pytest.raises(PluginError, match=r"fakes:unimportable of spec-fakes 1\.2\.3") as caught:
        PluginHost([plugin]).load("evaluator", "unimportable")
    assert isinstance(caught.value.__cause__, ModuleNotFoundError)


def test_a_target_without_its_attribute_is_told_so():
    plugin = importlib.import_module("spec_fakes.plugin")
    with pytest.raises(PluginError, match="AttributeError"):
        PluginHost([plugin]).load("evaluator", "absent")


def test_a_given_pack_may_state_its_origin():
    plugin = importlib.import_module("spec_fakes.plugin")
    found = PluginHost([plugin]).find("evaluator", "fakes:shout")
    assert (found.distribution, found.version) == ("spec-fakes", "1.2.3")


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        pytest.param(
            "host_misspelt",
            "@hookimpl\ndef evalsi_register_evaluator():\n    return []\n",
            "needs a newer evalsi-core, or is misspelt; did you mean 'evalsi_register_evaluators'?",
            id="a-misspelt-hook",
        ),
        pytest.param(
            "host_unmarked",
            "def evalsi_register_evaluators():\n    return []\n",
            "lacks @hookimpl",
            id="a-hook-without-its-mark",
        ),
        pytest.param(
            "host_argument",
            "@hookimpl\ndef evalsi_register_evaluators(config):\n    return []\n",
            "config",
            id="a-hook-that-wants-an-argument",
        ),
        pytest.param(
            "host_none",
            "@hookimpl\ndef evalsi_register_evaluators():\n    pass\n",
            "returned None; a list of Plugin is due",
            id="a-hook-that-returns-nothing",
        ),
        pytest.param(
            "host_garbage",
            "@hookimpl\ndef evalsi_register_evaluators():\n    return ['math']\n",
            "returned str in its list",
            id="a-hook-that-returns-garbage",
        ),
        pytest.param(
            "host_exits",
            "@hookimpl\ndef evalsi_register_evaluators():\n    raise SystemExit(3)\n",
            "SystemExit: 3",
            id="a-hook-that-exits",
        ),
        pytest.param(
            "host_twice",
            "@hookimpl\ndef evalsi_register_evaluators():\n    return [Plugin('a', 'b:c')] * 2\n",
            "the evaluator 'a' twice",
            id="a-name-twice-in-one-pack",
        ),
        pytest.param(
            "host_capital",
            "@hookimpl\ndef evalsi_register_evaluators():\n    return [Plugin('Math', 'b:c')]\n",
            "the evaluator 'Math' is badly named",
            id="a-capital-in-a-name",
        ),
        pytest.param(
            "host_colon",
            "@hookimpl\ndef evalsi_register_evaluators():\n    return [Plugin('a:b', 'b:c')]\n",
            "'a:b' is badly named",
            id="a-colon-in-a-name",
        ),
        pytest.param(
            "host_spaces",
            "@hookimpl\ndef evalsi_register_commands():\n    return [Plugin('a  b', 'b:c')]\n",
            "separated by one space",
            id="a-command-with-two-spaces",
        ),
        pytest.param(
            "host_target",
            "@hookimpl\ndef evalsi_register_evaluators():\n    return [Plugin('a', 'b.c')]\n",
            "write it as 'module:attribute'",
            id="a-target-without-colon",
        ),
    ],
)
def test_a_broken_hook_fails_its_pack(pack, name, text, told):
    assert told in failure_of(pack(name, text))


def test_a_command_is_named_by_its_path(pack):
    text = (
        "@hookimpl\ndef evalsi_register_commands():\n    return [Plugin('rewards serve', 'b:c')]\n"
    )
    host = PluginHost([pack("host_command", text)])
    assert [p.name for p in host.registered("command")] == ["rewards serve"]


def test_a_given_module_named_plugin_is_called_like_its_package():
    core = importlib.import_module("evalsi.core.plugin")
    assert {plugin.pack for plugin in PluginHost([core]).registered()} == {"core"}


def test_two_given_packs_of_one_name_keep_the_first(evaluators):
    first, second = evaluators("host_first", "zig"), evaluators("host_second", "zag")
    second.pack = "host_first"
    host = PluginHost([first, second])
    assert [p.name for p in host.registered()] == ["zig"]


ADDS = """
    @hookimpl
    def evalsi_add_hookspecs():
        return {"evalsi_register_trackers": "tracker"}
"""
TRACKER = """
    @hookimpl
    def evalsi_register_trackers():
        return [Plugin("paper", "json:dumps")]
"""


def test_a_pack_adds_a_kind_that_another_pack_fills(pack):
    host = PluginHost([pack("host_fills", TRACKER), pack("host_adds", ADDS)])
    assert host.find("tracker", "paper").pack == "host_fills"


def test_a_kind_that_no_pack_added_fails_the_one_that_fills_it(pack):
    assert "'evalsi_register_trackers' is unknown" in failure_of(pack("host_too_new", TRACKER))


def test_a_hook_of_a_newer_core_may_be_marked_optional(pack):
    text = """
        import pluggy

        @pluggy.HookimplMarker("evalsi")(optionalhook=True)
        def evalsi_register_trackers():
            return []
    """
    assert PluginHost([pack("host_optional", text)]).failures == ()


@pytest.mark.parametrize(
    ("name", "answer", "told"),
    [
        ("host_adds_list", "['evalsi_register_trackers']", "a mapping of hook to kind is due"),
        (
            "host_adds_name",
            "{'register_trackers': 'tracker'}",
            "a hook is evalsi_register_<plural>",
        ),
        ("host_adds_kind", "{'evalsi_register_xs': 'X'}", "names the kind 'X'"),
        ("host_adds_core", "{'evalsi_register_commands': 'order'}", "already there"),
    ],
    ids=["a-list", "a-foreign-name", "a-bad-kind", "a-hook-of-core"],
)
def test_an_added_hook_that_breaks_the_rules_fails_its_pack(pack, name, answer, told):
    text = f"@hookimpl\ndef evalsi_add_hookspecs():\n    return {answer}\n"
    assert told in failure_of(pack(name, text))
