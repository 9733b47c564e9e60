"""The fakes as a pack named `rows`."""

from evalsi.core.plugins.descriptor import Plugin, hookimpl

__distribution__ = "row-fakes"
__pack__ = "rows"


@hookimpl
def evalsi_register_evaluators():
    return [
        Plugin("is-right", "row_fakes.evaluators:IsRight", "Whether the output is the reference."),
        Plugin("turns", "row_fakes.evaluators:Turns", "The number of turns."),
        Plugin("served", "row_fakes.evaluators:Served", "The number that the output says."),
        Plugin("pairs", "row_fakes.evaluators:Pairs", "Compares the rollouts of a prompt."),
    ]
