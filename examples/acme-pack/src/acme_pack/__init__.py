"""A stranger's pack for evalsi."""
