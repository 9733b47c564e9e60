"""Rewards over HTTP: the light reward server; what it registers is in `plugin`."""
