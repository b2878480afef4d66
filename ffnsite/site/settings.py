"""The plugin's options, and the project that an mkdocs.yml describes."""

import os
from pathlib import Path
from typing import Any

from mkdocs.config import config_options
from mkdocs.config.base import Config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import ConfigurationError
from mkdocs.utils.yaml import yaml_load

from ffnsite.errors import BadSettings, nearest
from ffnsite.project import Project

PLUGIN = "ffnsite"


class Settings(Config):
    """Options of the plugin in mkdocs.yml; all paths are relative to it.

    `whole` says that the series is complete: a cited value that nothing quotes is then an error.
    """

    figures = config_options.Type(str, default="figures")
    ledger = config_options.Type(str, default="docs/cited")
    labs = config_options.Type(str, default="docs/lab")
    names = config_options.ListOfItems(config_options.Type(str), default=[])
    limit = config_options.Type((int, float), default=600)
    whole = config_options.Type(bool, default=False)
    jobs = config_options.Type(int, default=os.cpu_count() or 1)


def project_of(config: MkDocsConfig, settings: Settings) -> Project:
    """The project's folders.

    Raises:
        BadSettings: the folder of figures is not there.
    """
    root = Path(config.config_file_path or "mkdocs.yml").resolve().parent
    figures = root / settings.figures
    if not figures.is_dir():
        folders = [path.name for path in root.iterdir() if path.is_dir()]
        hint = "、".join(nearest(settings.figures, folders)) or "先建一个"
        raise BadSettings(f"mkdocs.yml：没有放图的文件夹 {settings.figures}；最像的是：{hint}")
    return Project(
        root=root,
        docs=Path(config.docs_dir),
        figures=figures,
        ledger=root / settings.ledger,
        labs=root / settings.labs,
        cache=Path(os.environ.get("FFNSITE_CACHE_DIR") or root / ".cache" / "ffnsite"),
        limit=float(settings.limit),
        jobs=settings.jobs,
    )


def load(path: Path) -> tuple[MkDocsConfig, Settings]:
    """The site's configuration and the plugin's options in it.

    Raises:
        BadSettings: mkdocs.yml is missing or wrong, or does not use the plugin.
    """
    if not path.is_file():
        raise BadSettings(f"{path} 不存在；请在有 mkdocs.yml 的文件夹里运行，或用 --config 指出它")
    options = plugin_options(path, PLUGIN)
    if options is None:
        raise BadSettings(f"{path}：plugins 里没有 {PLUGIN}")
    settings = Settings()
    settings.load_dict(options)
    # Plugins build pages; reading pages needs none of them, and some take long to import.
    config = MkDocsConfig(config_file_path=str(path))
    config.load_dict(_written(path) | {"plugins": []})
    errors = [fault for part in (config, settings) for fault in part.validate()[0]]
    if errors:
        raise BadSettings("\n".join(f"{path}：{key}：{fault}" for key, fault in errors))
    return config, settings


def plugin_options(path: Path, name: str) -> dict[str, Any] | None:
    """The options of a plugin as mkdocs.yml writes them; None where the site does not use it."""
    plugins = _written(path).get("plugins") or []
    entries = [plugins] if isinstance(plugins, dict) else plugins
    for entry in entries:
        if isinstance(entry, dict) and name in entry:
            return entry[name] or {}
        if entry == name:
            return {}
    return None


def _written(path: Path) -> dict[str, Any]:
    """What mkdocs.yml says, with what it inherits.

    Raises:
        BadSettings: it is no YAML, or no mapping.
    """
    try:
        with path.open(encoding="utf-8") as file:
            written = yaml_load(file)
    except ConfigurationError as fault:
        raise BadSettings(f"{path}：{fault}") from fault
    if not isinstance(written, dict):
        raise BadSettings(f"{path}：应是“名字: 值”的列表，这里是 {type(written).__name__}")
    return written
