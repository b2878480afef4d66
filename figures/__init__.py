"""The figures: one file each, `draw() -> Figure`."""
