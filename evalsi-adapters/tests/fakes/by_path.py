"""Loads an adapter's file as trainers do: by its path, as a module of another name."""

import importlib.util


def executed(module, name):
    """A fresh copy of the module, which `sys.modules` does not know."""
    spec = importlib.util.spec_from_file_location(name, module.__file__)
    copy = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(copy)
    return copy
