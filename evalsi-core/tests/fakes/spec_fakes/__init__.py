"""A pack for the tests of specs and plugins, with evaluators good and bad."""
