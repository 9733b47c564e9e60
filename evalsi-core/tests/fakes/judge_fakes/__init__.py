"""A pack whose evaluators ask a judge."""
