"""The models: each file one part of a Transformer, its equation as docstring."""
