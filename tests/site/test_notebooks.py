"""Notebook pages from end to end, on a tiny notebook: executed once, judged like every other page."""

import json
import re
import shutil

import pytest
import tiny

from ffnsite.gather import gather

MKDOCS = ("mkdocs", "build", "--strict")
CHECK = ("ffnsite", "check")
JUPYTER = """\
  - mkdocs-jupyter:
      include: ["*.ipynb"]
      execute: false
      include_source: true
"""
CONFIG = tiny.CONFIG.replace("limit: 20\n", "limit: 60\n" + JUPYTER)
NOTEBOOK = """\
# %% [markdown]
# # 小本 {#small}
#
# FFN 占[三分之二](fact:block.share)，即[$8d^2$](fact:block.ffn)，见[小文](../index.md#params)。
#
# ![条形图：FFN 的那一条最长](figure:block)

# %%
from widths import WIDTH

# %% [markdown]
# ## 再算一遍 {#again}
#
# $$
# y = \\frac{1}{2} x
# $$

# %%
WIDTH * 2
"""
PAGE = "docs/lab/small.py"


@pytest.fixture(scope="session")
def executed(tmp_path_factory):
    """The tiny project with its notebook executed: its cache serves every test of this file."""
    root = tmp_path_factory.mktemp("executed")
    project = tiny.write_tiny(root)
    (root / "mkdocs.yml").write_text(CONFIG, encoding="utf-8")
    project.labs.mkdir()
    (root / PAGE).write_text(NOTEBOOK, encoding="utf-8")
    assert gather(project).faults == {}
    return root


@pytest.fixture
def site(executed, tmp_path):
    root = tmp_path / "site"
    shutil.copytree(executed, root)
    return root


def change(site, old, new, name=PAGE):
    path = site / name
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def both(site):
    """What `mkdocs build` and `ffnsite check` say; they must agree on the exit status."""
    built, checked = tiny.run(site, *MKDOCS), tiny.run(site, *CHECK)
    assert (built.returncode == 0) == (checked.returncode == 0), built.stderr + checked.stdout
    return built, checked


def test_a_notebook_counts_as_a_page_of_the_site_in_build_and_check(site):
    built, checked = both(site)
    assert built.returncode == 0, built.stderr
    assert "2 页，4 现算、0 文献、0 免检，都对得上" in checked.stdout
    report = json.loads((site / "site/facts.json").read_text(encoding="utf-8"))
    quotes = [(q["line"], q["column"], q["text"]) for q in report["quotes"] if q["page"] == PAGE]
    assert quotes == [(4, 8, "三分之二"), (4, 34, "$8d^2$")]


def test_a_notebook_runs_again_exactly_when_it_or_what_it_imports_changes(site):
    def ran():
        return "lab/small  好了" in tiny.run(site, *MKDOCS).stderr

    assert not ran()
    change(site, "小文", "文", "docs/index.md")
    assert not ran()
    change(site, "2048", "4096", "widths.py")
    assert ran()
    assert "8192" in (site / "site/lab/small/index.html").read_text(encoding="utf-8")
    change(site, "WIDTH * 2", "WIDTH * 3")
    assert ran()
    assert not ran()


def test_a_failing_cell_fails_the_build_and_costs_only_its_notebook(site):
    (site / "docs/lab/other.py").write_text(NOTEBOOK.replace("小本", "又一本"), encoding="utf-8")
    change(site, "WIDTH * 2", "half = WIDTH\nassert half == 7, '宽不是 7'")
    built, checked = both(site)
    assert built.returncode == 1
    for output in (built.stderr, checked.stdout):
        assert f"{PAGE}:20 " in output
        assert "第 2 个代码格" in output
        assert "AssertionError: 宽不是 7" in output
    assert "lab/other  好了" in built.stderr
    assert "1 处不对；其余 4 现算" in checked.stdout


FAULTS = [
    ("即[", "有 37 个，即[", "4:35", "“37 个”没有绑定"),
    ("三分之二", "四分之三", "4:8", "“四分之三” 读作 74%–76%"),
    ("[$8d^2$](fact:block.ffn)", "[$8d^2$](fact:block.fn)", "4:41", "最像的是 block.ffn"),
    ("figure:block", "figure:blok", "6:3", "没有叫 blok 的图"),
    ("再算一遍", "算 38 遍", "12:8", "“38 遍”没有绑定"),
    ("\\frac{1}", "\\frob{1}", "15:3", "公式写错了"),
]


def test_every_fault_in_a_markdown_cell_names_its_line_and_column(site):
    for old, new, _, _ in FAULTS:
        change(site, old, new)
    built, checked = both(site)
    assert built.returncode == checked.returncode == 1
    for output in (built.stderr, checked.stdout):
        assert f"{len(FAULTS)} 处不对" in output
        for _, _, place, said in FAULTS:
            lines = [line for line in output.splitlines() if line.startswith(f"{PAGE}:{place} ")]
            assert any(said in line for line in lines), output


def test_the_page_has_formulas_slugs_contents_links_and_a_download(site):
    assert tiny.run(site, *MKDOCS).returncode == 0
    page = (site / "site/lab/small/index.html").read_text(encoding="utf-8")
    assert "<mfrac><mn>1</mn><mn>2</mn></mfrac>" in page
    assert '<h1 id="small">小本' in page
    assert '<h2 id="again">再算一遍' in page
    assert re.search(r'<a href="#again"[^>]*>再算一遍</a>', page)
    assert "{#" not in page
    assert '<a href="../../#params">小文</a>' in page
    assert '<a href="small.ipynb" download>' in page
    cells = json.loads((site / "site/lab/small/small.ipynb").read_text(encoding="utf-8"))["cells"]
    assert cells[-1]["outputs"][0]["data"]["text/plain"] == ["4096"]


def test_the_article_brings_no_script_style_or_foreign_address(site):
    tiny.run(site, *MKDOCS)
    page = (site / "site/lab/small/index.html").read_text(encoding="utf-8")
    article = page[page.index("<!-- ffnsite ") : page.index("<!-- /ffnsite -->")]
    assert "小本" in article
    assert not re.search(r"<(?:script|style|link|iframe)\b", article)
    assert not re.search(r"""(?:src|href)=["']?(?:https?:)?//""", article)


def test_no_download_is_offered_where_the_site_copies_no_notebook(site):
    change(site, "include_source: true", "include_source: false", "mkdocs.yml")
    tiny.run(site, *MKDOCS)
    assert "small.ipynb" not in (site / "site/lab/small/index.html").read_text(encoding="utf-8")


def test_two_builds_of_a_notebook_are_the_same_to_the_byte(site):
    def build():
        shutil.rmtree(site / ".cache", ignore_errors=True)
        assert tiny.run(site, *MKDOCS).returncode == 0
        folder = site / "site/lab/small"
        return {path.name: path.read_bytes() for path in folder.iterdir()}

    assert build() == build()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (">三分之二</a>", ">四分之三</a>", "生成的页面上是“四分之三”"),
        ("小本", "小本 37 个", "“37 个”没有绑定"),
        ("<mn>8</mn>", "<mn>9</mn>", "文章里写的是“$8d^2$”"),
    ],
)
def test_a_built_notebook_that_was_changed_is_found_out(site, old, new, said):
    tiny.run(site, *MKDOCS)
    assert tiny.run(site, *CHECK, "--site", "site").returncode == 0
    change(site, old, new, "site/lab/small/index.html")
    result = tiny.run(site, *CHECK, "--site", "site")
    assert result.returncode == 1
    assert said in result.stdout


def test_only_the_notebook_that_is_named_is_checked(site):
    assert "1 页，2 现算" in tiny.run(site, *CHECK, PAGE).stdout
    assert "1 页，2 现算" in tiny.run(site, *CHECK, "docs/lab").stdout
    assert "1 页，2 现算" in tiny.run(site, *CHECK, "docs/index.md").stdout
    wrong = tiny.run(site, *CHECK, "mkdocs.yml")
    assert wrong.returncode == 1
    assert "mkdocs.yml 不是网站的页面" in wrong.stderr


def test_a_site_without_notebooks_never_loads_what_renders_them(site):
    shutil.rmtree(site / "docs/lab")
    (site / "mkdocs.yml").write_text(tiny.CONFIG, encoding="utf-8")
    code = (
        "import sys\nfrom ffnsite.cli import main\n"
        "try: main(['check'])\nexcept SystemExit as end: assert not end.code\n"
        "assert not {'mkdocs_jupyter', 'nbconvert', 'jupytext'} & sys.modules.keys()"
    )
    (site / "check_it.py").write_text(code, encoding="utf-8")
    assert tiny.run(site, "check_it").returncode == 0
