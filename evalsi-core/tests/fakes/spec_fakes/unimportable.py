"""A module whose import fails as one with a missing library does."""

import a_library_that_is_not_there  # noqa: F401
