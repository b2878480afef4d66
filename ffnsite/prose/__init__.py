"""Finds bound and loose numbers in Markdown and in built HTML, and judges them."""
