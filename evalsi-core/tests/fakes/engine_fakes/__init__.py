"""Evaluators that tests bind: quiet ones, and hostile ones."""
