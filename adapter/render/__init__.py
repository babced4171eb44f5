"""adapter.render."""
