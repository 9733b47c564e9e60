"""The fakes as a pack named `trl-fakes`."""

from evalsi.core.plugins.descriptor import Plugin, hookimpl

__distribution__ = "trl-fakes"
__pack__ = "trl-fakes"


@hookimpl
def evalsi_register_evaluators():
    return [
        Plugin("says", "trl_fakes.evaluators:Says", "The number that the output says."),
        Plugin("letters", "trl_fakes.evaluators:Letters", "The share of letters in the output."),
        Plugin("flaky", "trl_fakes.evaluators:Flaky", "As letters, but away for some outputs."),
        Plugin("settings", "trl_fakes.evaluators:Settings", "How many settings a row has."),
        Plugin("tokens", "trl_fakes.evaluators:Tokens", "How many tokens the output has."),
        Plugin("reference", "trl_fakes.evaluators:Reference", "How long the reference is."),
        Plugin("group-size", "trl_fakes.evaluators:GroupSize", "The size of the record's group."),
    ]
