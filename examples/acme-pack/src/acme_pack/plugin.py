"""What the pack registers; the class is imported when a spec asks for it."""

from evalsi.core.plugins.descriptor import Plugin, hookimpl


@hookimpl
def evalsi_register_evaluators() -> list[Plugin]:
    """The pack's one verifier."""
    return [Plugin("brief", "acme_pack.brief:Brief", "At most 100 words")]
