"""Sandbox rungs."""
