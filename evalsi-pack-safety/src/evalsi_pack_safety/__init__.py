"""The `safety` pack; what it registers is in `plugin`."""
