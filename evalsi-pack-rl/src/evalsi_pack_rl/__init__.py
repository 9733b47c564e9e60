"""Verifiers for reinforcement learning."""
