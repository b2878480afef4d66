"""Options that several commands share."""

from pathlib import Path

import click

config = click.option(
    "--config", default="mkdocs.yml", type=click.Path(path_type=Path), help="网站的 mkdocs.yml。"
)
