"""What runs inside the two jails; each file imports the standard library and its siblings only."""
