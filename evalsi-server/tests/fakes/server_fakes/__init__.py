"""A pack of evaluators that do as the completion says."""
