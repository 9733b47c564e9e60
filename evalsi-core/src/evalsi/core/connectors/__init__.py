"""Core's connectors, registered through the hook that any pack uses."""
