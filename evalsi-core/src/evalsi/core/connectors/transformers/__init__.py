"""A model in this process, through torch and transformers: imported by what uses it, not before."""
