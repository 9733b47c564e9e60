"""Settings of this pack's property tests."""

from hypothesis import settings

# A busy machine is no failure; what must not take long is measured in CPU time.
settings.register_profile("evalsi-pack-safety", deadline=None)
settings.load_profile("evalsi-pack-safety")
