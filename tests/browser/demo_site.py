"""Small sites of made-up figures and numbers, in the HTML that the plugin writes.

The static one is plain HTML; the other is built by mkdocs with Material, with instant navigation,
a scheme toggle, content tabs and details.
"""

import html
import json
import os
import shutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

from math_core import LatexToMathML

LIBRARY = "plotly-demo.min.js"
LIGHT = {"ink": "#1d2733", "grid": "#dfe4ea", "ffn": "#1f6f8b", "attention": "#c8743c"}
DARK = {"#1d2733": "#e4e8ee", "#dfe4ea": "#4a5060", "#1f6f8b": "#7cc4dd", "#c8743c": "#eba777"}
SCALE = ["#f4f8fa", "#1f6f8b", "#0b2a36"]
DARK |= {"#f4f8fa": "#232a31", "#0b2a36": "#d8f2fb"}


def axis(**more) -> dict:
    return {"gridcolor": LIGHT["grid"], "linecolor": LIGHT["grid"], "fixedrange": True, **more}


def layout(**more) -> dict:
    return {
        "font": {"color": LIGHT["ink"], "size": 13},
        "margin": {"l": 8, "r": 8, "t": 28, "b": 8},
        "xaxis": axis(automargin=True),
        "yaxis": axis(automargin=True),
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        **more,
    }


def paint(colour: str) -> dict:
    return {"marker": {"color": colour}}


def bars(ffn: list[float], attention: list[float]) -> dict:
    models = ["标准块", "Llama-3-8B", "SmolLM2", "GPT-2 small"]
    share = [
        {"type": "bar", "orientation": "h", "y": models, "x": x, "name": name} | paint(colour)
        for name, x, colour in (
            ("FFN", ffn, LIGHT["ffn"]),
            ("attention", attention, LIGHT["attention"]),
        )
    ]
    x = axis(tickformat=".0%", range=[0, 1], automargin=True)
    y = axis(automargin=True, autorange="reversed", showgrid=False)
    return {"data": share, "layout": layout(barmode="stack", xaxis=x, yaxis=y)}


def heatmap() -> dict:
    z = [[round(0.02 * row + 0.05 * layer / 10, 3) for layer in range(12)] for row in range(6)]
    words = ["The", "E", "iff", "el", "Tower", "in"]
    scale = [[k / (len(SCALE) - 1), colour] for k, colour in enumerate(SCALE)]
    cells = {"type": "heatmap", "z": z, "y": words, "colorscale": scale, "xgap": 1, "ygap": 1}
    y = axis(automargin=True, autorange="reversed", showgrid=False)
    x = axis(automargin=True, showgrid=False, title={"text": "层"})
    return {"data": [cells], "layout": layout(xaxis=x, yaxis=y)}


BLOCK = bars([2 / 3, 0.808, 0.75, 2 / 3], [1 / 3, 0.192, 0.25, 1 / 3])
WHOLE = bars([0.55, 0.702, 0.59, 0.455], [0.45, 0.298, 0.41, 0.545])


def diagram(label: str) -> dict:
    return {
        "svg": '<svg viewBox="0 0 900 120" width="900" height="120">'
        f'<rect x="10" y="10" width="200" height="100" fill="{LIGHT["ffn"]}"/>'
        f'<text x="240" y="70" fill="{LIGHT["ink"]}" font-size="24">{label}</text></svg>'
    }


def number(text: str, kind: str = "fact", *, up: str = "../", wrong: str = "", **more: str) -> str:
    name = more.pop("name", "params.share")
    data = {"kind": kind, "name": name, **more}
    written = " ".join(f'data-{key}="{html.escape(value)}"' for key, value in data.items())
    style = f"ffn-number {wrong}".strip()
    return f'<a class="{style}" href="{up}numbers/#{name}" {written}>{text}</a>'


def figure(name: str, charts: dict[str, dict], *, library: str, up: str = "../") -> str:
    """One figure with its switch (when it has several charts), its data table and its links."""
    buttons = "".join(
        f'<button type="button" aria-pressed="{str(k == 0).lower()}">{label}</button>'
        for k, label in enumerate(charts)
    )
    first = next(iter(charts.values()))
    height = "" if "svg" in first else ' style="--ffn-height:340px"'
    switch = f'<div class="ffn-switch" role="group" aria-label="切换">{buttons}</div>'
    island = {"charts": list(charts.values()), "dark": DARK}
    data = html.escape(json.dumps(island, ensure_ascii=False), quote=False)
    head = "".join(f"<th>第 {k} 列的名字</th>" for k in range(12))
    cells = "".join(f"<td>{k}.125</td>" for k in range(12))
    return (
        f'<figure class="ffn-figure" id="figure-{name}" data-plotly="{library}"'
        f" data-search-exclude>{switch if len(charts) > 1 else ''}"
        f'<div class="ffn-chart" role="img" aria-label="{name} 的图"{height}>'
        f"{first.get('svg', '')}</div>"
        f'<template class="ffn-data">{data}</template>'
        f"<noscript>这张图要用 JavaScript 画，同样的数在下面的数据表里。</noscript>"
        f"<figcaption>一层里 FFN 与 attention 各占多少参数，不含嵌入。"
        f'<span class="ffn-links"><a href="{up}numbers/#figure-{name}">怎么算的</a> · '
        f'<a href="{name}.csv" download>CSV</a></span></figcaption>'
        f'<details class="ffn-table"><summary>数据表</summary><div class="ffn-scroll"><table>'
        f"<thead><tr>{head}</tr></thead><tbody><tr>{cells}</tr></tbody></table></div></details>"
        f"</figure>"
    )


def formula(latex: str, *, display: bool = True) -> str:
    return LatexToMathML().convert_with_local_state(latex, displaystyle=display)


def ledger() -> str:
    rows = (
        ("params.share", "params/", "fact", "80.77%"),
        ("trace.peak", "trace/ index/", "fact", "0.41"),
        ("shazeer2020.swiglu", "params/", "cite", "1.944"),
    )
    body = "".join(
        f'<tr id="{name}" data-page="{pages}" data-kind="{kind}"><td><code>{name}</code></td>'
        f"<td>{value}</td><td>figures/{name.split('.')[0]}.py:38</td><td>{'定义' * 30}</td></tr>"
        for name, pages, kind, value in rows
    )
    return (
        '<form class="ffn-filter"><select name="page" aria-label="页面"><option value="">全部页面'
        '</option><option value="params/">参数</option>'
        '<option value="trace/">追踪</option></select>'
        '<select name="kind" aria-label="类别"><option value="">全部</option><option value="fact">'
        '现算</option><option value="cite">文献</option></select>'
        '<input type="search" name="text" aria-label="搜索" placeholder="名字或值"></form>'
        '<div class="ffn-scroll"><table class="ffn-ledger"><thead><tr><th>名字</th><th>值</th>'
        f"<th>出处</th><th>定义</th></tr></thead><tbody>{body}</tbody></table></div>"
    )


MEANS = "Llama-3-8B 一层里 FFN 三个矩阵的参数占这一层全部权重矩阵参数的比例，不含归一化。"


def prose(up: str = "../") -> str:
    share = number("约 81%", value="80.77%", means=MEANS, source="figures/params.py:38", up=up)
    cited = number("1.944", "cite", value="1.944", name="shazeer2020.swiglu", up=up,
                   means="SwiGLU 的验证集对数困惑度。", source="Shazeer 2020，表 1")  # fmt: skip
    plain = number("42", "plain", name="plain", means="银河系漫游指南里的答案", up=up)
    offer = number("85%", wrong="ffn-wrong", verdict="disagrees", value="80.77%", up=up,
                   message="应为 80.77%，这里写的是 85%。", offer="81%|约八成",
                   source="figures/params.py:38")  # fmt: skip
    return (
        f"<p>Llama-3-8B 一层里 FFN 占{share}，文献里 SwiGLU 是 {cited}，答案是 {plain}，"
        f"写错的是 {offer}"
        '<span class="ffn-fault" role="note">应为 80.77%，可写 81%、约八成</span>。</p>'
    )


def copy_assets(folder: Path) -> None:
    folder.mkdir(parents=True)
    for asset in files("ffnsite.site").joinpath("assets").iterdir():
        (folder / asset.name).write_bytes(asset.read_bytes())
    with files("plotly").joinpath("package_data/plotly.min.js").open("rb") as library:
        (folder / LIBRARY).write_bytes(library.read())


# --- plain pages --------------------------------------------------------------------------------

PAGE = """<!doctype html>
<html lang="zh"><head><meta charset="utf-8"><title>样页</title><link rel="icon" href="data:,">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="assets/ffnsite.css">
<link rel="stylesheet" href="assets/plain.css"></head>
<body data-md-color-scheme="{scheme}">{body}
<script src="assets/figure.js"></script><script src="assets/number.js"></script>
<script src="assets/ledger.js"></script></body></html>"""
PLAIN = """body { margin: 0 16px; background: #fff; color: #1d2733; font-family: sans-serif }
[data-md-color-scheme="slate"] { background: #1e2129; color: #e4e8ee }
.far { height: 3000px }"""


def write_static_site(folder: Path) -> Path:
    """Plain pages: index.html, far.html (figures far down), missing.html (no library), …"""
    copy_assets(folder / "assets")
    (folder / "assets/plain.css").write_text(PLAIN, encoding="utf-8")
    (folder / "numbers").mkdir()
    (folder / "numbers/index.html").write_text("<!doctype html><link rel=icon href=data:,>台账")
    there = {"library": f"assets/{LIBRARY}", "up": ""}
    params = figure("params", {"一层": BLOCK, "整模型": WHOLE}, **there)
    trace = figure("trace", {"隐状态": heatmap()}, **there)
    wide = formula(r"\sum_{i=1}^{n}\left(\frac{x_i}{\sqrt{d}}\right)" + "+x" * 60)
    tall = formula(r"(x)") + formula(r"\left(\frac{\frac{1}{2}}{\frac{3}{4}}\right)")
    pages = {
        "index": prose("") + params + trace + wide + tall,
        "far": '<div class="far">开头</div>' + params + trace,
        "hidden": f'<div id="tab" hidden>{params}</div><details id="more"><summary>更多</summary>'
        f"{trace}</details>",
        "missing": figure("params", {"一层": BLOCK}, library="assets/nowhere.js", up=""),
        "diagram": figure("flow", {"甲": diagram("第一张"), "乙": diagram("第二张")}, **there),
        "ledger": ledger(),
    }
    for name, body in pages.items():
        for scheme in ("default", "slate"):
            path = folder / f"{name}{'' if scheme == 'default' else '-dark'}.html"
            path.write_text(PAGE.format(scheme=scheme, body=body), encoding="utf-8")
    return folder


# --- a site of mkdocs-material ------------------------------------------------------------------

CONFIG = """site_name: 样站
site_url: {address}
strict: true
theme:
  name: material
  language: zh
  font: false
  features: [navigation.instant]
  palette:
    - media: "(prefers-color-scheme: light)"
      scheme: default
      toggle: {icon: material/weather-night, name: 深色}
    - media: "(prefers-color-scheme: dark)"
      scheme: slate
      toggle: {icon: material/weather-sunny, name: 浅色}
plugins: []
markdown_extensions:
  - pymdownx.details
  - pymdownx.superfences
  - pymdownx.tabbed: {alternate_style: true}
extra_css: [assets/ffnsite/ffnsite.css]
extra_javascript: [assets/ffnsite/figure.js, assets/ffnsite/number.js, assets/ffnsite/ledger.js]
nav: [首页: index.md, 参数: ffn/params.md, 追踪: ffn/trace.md, 台账: numbers.md]
"""


def write_material_site(folder: Path, address: str) -> None:
    """Builds folder/site for `address`: /, /ffn/params/, /ffn/trace/, /numbers/.

    Instant navigation only follows links that stand in the sitemap, port included.
    """
    docs = folder / "docs"
    copy_assets(docs / "assets/ffnsite")
    (docs / "ffn").mkdir()
    there = {"library": f"../../assets/ffnsite/{LIBRARY}", "up": "../../"}
    params = figure("params", {"一层": BLOCK, "整模型": WHOLE}, **there)
    trace = figure("trace", {"隐状态": heatmap()}, **there)
    math = f"<div>{formula(WIDE_FORMULA)}</div>"
    tab = figure("in-tab", {"一层": BLOCK}, **there)
    more = figure("in-details", {"一层": WHOLE}, **there)
    pages = {
        "index.md": f"# 首页\n\n{prose('')}\n\n[参数](ffn/params.md)\n",
        "ffn/params.md": f"# 参数的账\n\n{prose('../../')}\n\n{params}\n\n{math}\n\n{trace}\n",
        "ffn/trace.md": f'# 追踪\n\n=== "甲"\n\n    甲\n\n=== "乙"\n\n    {tab}\n\n'
        f'??? note "更多"\n\n    {more}\n',
        "numbers.md": f"# 台账\n\n{ledger()}\n",
    }
    for name, text in pages.items():
        (docs / name).write_text(text, encoding="utf-8")
    (folder / "mkdocs.yml").write_text(CONFIG.replace("{address}", address), encoding="utf-8")
    build(folder)


WIDE_FORMULA = (
    r"\mathrm{SwiGLU}(x)=\left(\frac{xW_{\mathrm{gate}}}{1+e^{-xW_{\mathrm{gate}}}}"
    r"\odot xW_{\mathrm{up}}\right)W_{\mathrm{down}},\quad 3\,d\,d_{\mathrm{ff}}=8d^2"
    r"\;\text{when}\;d_{\mathrm{ff}}=\frac{8d}{3}"
)


def build(folder: Path) -> None:
    shutil.rmtree(folder / "site", ignore_errors=True)
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet"]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    subprocess.run(command, cwd=folder, env=environment, check=True)
