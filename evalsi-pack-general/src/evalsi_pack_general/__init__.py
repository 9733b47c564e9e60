"""The `general` pack; what it registers is in `plugin`."""
