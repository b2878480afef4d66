"""The command line. Exit status 0: all true; 1: something is wrong; 2: usage.

A command is a file in `ffnsite/commands/`. Only the one that is called gets imported, so that none
waits for what it does not need.
"""

import sys
from importlib import import_module
from typing import Any

import click

from ffnsite.errors import FfnsiteError, nearest

COMMANDS = {
    "check": "读所有文章（或给出的几篇），判断每个数对不对。",
    "draw": "画过期的图（或给出的几张）。",
    "facts": "列出所有可以引用的数。",
    "read": "读一段数字说法，每个给一行 JSON。",
    "repro": "把一张图从头重跑，逐个数说 PASS 或 FAIL。",
    "setup": "取回并核对预训练权重（SmolLM2-135M），写进缓存。",
    "stale": "列出要重画的图和原因；都不过期时什么也不列。",
    "study": "算一项研究的各行（run），或抽几行重算核对（audit）。",
    "where": "一个数从哪来（生成它的那一行），又在哪些地方被引用。",
}


class LazyGroup(click.Group):
    """Knows the names and help texts of all commands, and imports only the one that runs."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """The names, in alphabetical order."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, imported now; an unknown name is answered with the nearest ones."""
        if cmd_name not in COMMANDS:
            close = "、".join(nearest(cmd_name, COMMANDS)) or "、".join(COMMANDS)
            ctx.fail(f"没有 {cmd_name} 这个命令；最像的是 {close}")
        command: click.Command = import_module(f"ffnsite.commands.{cmd_name}").command
        command.help = COMMANDS[cmd_name]
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The list of commands, without importing any."""
        with formatter.section("命令"):
            formatter.write_dl(sorted(COMMANDS.items()))

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command; a fault raised on purpose is printed plainly and ends with status 1."""
        try:
            return super().invoke(ctx)
        except FfnsiteError as fault:
            click.echo(str(fault), err=True)
            sys.exit(1)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """核对文章里的每一个数：现算的对代码，引用的对文献。"""
