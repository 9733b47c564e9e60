"""Settings of this pack's property tests."""

from __future__ import annotations

from hypothesis import settings

# The first example of a process builds tables; what must not take long is measured in CPU time.
settings.register_profile("evalsi-pack-general", deadline=None)
settings.load_profile("evalsi-pack-general")
