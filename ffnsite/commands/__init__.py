"""The commands: one file each, with the function `command`; `ffnsite.cli` loads the one that is asked for."""
