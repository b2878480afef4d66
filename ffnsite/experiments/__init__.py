"""The experiments: each file one question, its answer a frozen dataclass."""
