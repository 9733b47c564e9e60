"""Models behind connectors: what is asked, what comes back, and how failing servers are met."""

from __future__ import annotations

from evalsi.core.chat.contract import Connector, Output, Request, Sampling
from evalsi.core.errors import ServerError

__all__ = ["Connector", "Output", "Request", "Sampling", "ServerError"]
