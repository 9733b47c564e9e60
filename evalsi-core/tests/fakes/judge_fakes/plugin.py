"""Its descriptors."""

from evalsi.core.plugins import Plugin, hookimpl

pack = "judging"
distribution = "judge-fakes"
version = "1.0"


@hookimpl
def evalsi_register_evaluators():
    return [
        Plugin("polite", "judge_fakes.polite:Polite"),
        Plugin("polite-bound", "judge_fakes.polite:PoliteBound"),
        Plugin("plain", "judge_fakes.polite:Plain"),
    ]
