"""Plugins: descriptors that packs return from hooks, and the host that finds and loads them."""

from __future__ import annotations

from evalsi.core.plugins.descriptor import Plugin, Registered, hookimpl
from evalsi.core.plugins.host import PluginHost, default_host

__all__ = ["Plugin", "PluginHost", "Registered", "default_host", "hookimpl"]
