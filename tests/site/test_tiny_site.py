"""A whole tiny site from end to end: what is published, what is refused, and with which words."""

import json
import re
import shutil

import pytest
import tiny

from ffnsite.gather import gather

MKDOCS = ("mkdocs", "build", "--strict")
CHECK = ("ffnsite", "check")


@pytest.fixture(scope="session")
def drawn(tmp_path_factory):
    """The tiny project with its figure drawn: its cache serves every test of this file."""
    root = tmp_path_factory.mktemp("drawn")
    gather(tiny.write_tiny(root))
    return root


@pytest.fixture
def site(drawn, tmp_path):
    root = tmp_path / "site"
    shutil.copytree(drawn, root)
    return root


def page(site, text, name="docs/index.md"):
    (site / name).write_text(text, encoding="utf-8")


def both(site):
    """What `mkdocs build` and `ffnsite check` say; they must agree on the exit status."""
    built, checked = tiny.run(site, *MKDOCS), tiny.run(site, *CHECK)
    assert (built.returncode == 0) == (checked.returncode == 0)
    return built, checked


def test_a_right_site_is_published_with_its_numbers_explained(site):
    built, checked = both(site)
    assert built.returncode == 0, built.stderr
    assert "1 页，2 现算、0 文献、0 免检，都对得上" in checked.stdout
    html = (site / "site/index.html").read_text(encoding="utf-8")
    number = re.search(r'<a class="ffn-number"[^>]*>三分之二</a>', html)[0]
    for said in (
        'data-value="66.6667%"',
        'data-means="一层里 FFN 的份额，不算偏置"',
        'data-source="figures/block.py:11"',
        'href="numbers/#block.share"',
    ):
        assert said in number
    assert "本页 2 个数：2 现算" in html


def test_the_numbers_page_leads_back_to_the_sentence(site):
    tiny.run(site, *MKDOCS)
    html = (site / "site/numbers/index.html").read_text(encoding="utf-8")
    row = re.search(r'<tr id="block.share".*?</tr>', html, re.DOTALL)[0]
    assert 'href="../#n1"' in row
    assert "figures/block.py:11" in row
    assert 'id="n1"' in (site / "site/index.html").read_text(encoding="utf-8")


def test_the_report_holds_every_fact_and_every_quote(site):
    tiny.run(site, *MKDOCS)
    report = json.loads((site / "site/facts.json").read_text(encoding="utf-8"))
    facts = {fact["name"]: fact for fact in report["facts"]}
    assert facts["block.width"]["value"] == "2048"
    assert facts["a2020.base"]["where"] == "docs/cited/a2020.toml:7"
    assert [(q["line"], q["column"], q["text"], q["verdict"]) for q in report["quotes"]] == [
        (7, 10, "三分之二", "agrees"),
        (7, 38, "$8d^2$", "agrees"),
    ]
    assert report["faults"] == []


def test_the_figure_can_be_had_without_a_picture(site):
    tiny.run(site, *MKDOCS)
    html = (site / "site/index.html").read_text(encoding="utf-8")
    assert 'aria-label="条形图：FFN 的那一条最长"' in html
    assert "<th scope='row'>attention</th><td>4</td>" in html
    csv = (site / "site/assets/ffnsite/block.csv").read_bytes()
    assert csv == b",\r\nFFN,8\r\nattention,4\r\n"


def test_torch_is_not_loaded_by_mkdocs(site):
    code = (
        "import sys\nfrom mkdocs.__main__ import cli\n"
        "try: cli(['build', '-q'])\nexcept SystemExit as end: assert not end.code\n"
        "assert 'torch' not in sys.modules and 'plotly' not in sys.modules"
    )
    (site / "build_it.py").write_text(code, encoding="utf-8")
    assert tiny.run(site, "build_it").returncode == 0


@pytest.mark.parametrize(
    ("line", "column", "said"),
    [
        (
            "FFN 占[四分之三](fact:block.share)。",
            6,
            "“四分之三” 读作 74%–76%（值不在写出的范围里），但 block.share = 66.6667%（figures/block.py:11）。可写",
        ),
        ("FFN 占[三分之二](fact:block.shre)。", 6, "fact:block.shre 不存在；最像的是 block.share"),
        ("FFN 占[三分之二](fact:xyzzy.qqqqq)。", 6, "运行 ffnsite facts 看清单"),
        ("FFN 占[很多](fact:block.share)。", 6, "“很多” 读不懂"),
        ("宽 [2048 字节](fact:block.width)。", 3, "事实的单位是 count"),
        ("宽 [超过 20](fact:block.width)。", 3, "十倍以上，等于没说"),
        ("base 有 [6,500 万](cite:block.width) 参数。", 8, "block.width 是 fact: 不是 cite:"),
        (
            "base 有 [6,600 万](cite:a2020.base) 参数。",
            8,
            "a2020.base = 65,000,000（docs/cited/a2020.toml:7）",
        ),
        ("base 有 [6,500.0 万](cite:a2020.base) 参数。", 8, "只有 2 位站得住"),
        ("答案是 [42](plain:)。", 5, "免检却没写理由"),
        ("FFN 占 81%。", 7, "“81%”没有绑定"),
        ("| 甲 | 乙 |\n|---|---|\n| 一 | 37 |", 7, "“37”没有绑定"),
        ("见[这里][r]。\n\n[r]: fact:block.share", 1, "引用式链接"),
        ('<a href="fact:block.share">三分之二</a>', 4, "原始 HTML"),
        ("$[8](fact:block.ffn)$", 2, "不生效"),
        ("占 <fact:block.share>", 3, "没有可检查的字"),
        ("文字 ![条形图：哪条最长](figure:block) 文字", 4, "独占一段"),
        ("![条形图：哪条最长](figure:blok)", 1, "没有叫 blok 的图；最像的是 block"),
        ("![图](figure:block)", 1, "替代文字“图”太短"),
        ("![条形图：FFN 那一条占四分之三](figure:block)", 1, "替代文字里的“四分之三”对不上"),
        ("$\\frob{x}$", 1, "公式写错了"),
        ("占 [$\\frob$](fact:block.ffn)。", 3, "“$\\frob$” 读不懂"),
        ("## 宽 $d$ {#width}", 6, "data-toc-label"),
        ("| 甲 | 乙 |\n|---|---|\n| $P(A|B)$ | 二 |", 1, "这一行有 3 格，表头只有 2 格"),
        ("概率 $P(A 没有闭合。", 4, "公式没有闭合"),
        ("占 **很多 的一半。", 3, "加粗没有生效"),
    ],
)
def test_a_fault_names_its_place_what_is_there_and_what_to_do(site, line, column, said):
    page(site, f"---\ntitle: 小文\n---\n\n# 参数 {{#params}}\n\n{line}\n")
    built, checked = both(site)
    number = 7 + line.count("\n")
    place = f"docs/index.md:{number}:{column} "
    assert built.returncode == checked.returncode == 1
    for output in (built.stderr, checked.stdout):
        found = [text for text in output.splitlines() if text.startswith(place)]
        assert any(said in text for text in found), output


def test_a_stale_figure_is_listed_with_its_reason(site):
    (site / "widths.py").write_text("WIDTH = 9\n", encoding="utf-8")
    assert tiny.run(site, "ffnsite", "stale").stdout == "block：源码变了：widths.py\n"


def test_all_faults_come_at_once_and_nothing_is_published(site):
    page(site, "[四分之三](fact:block.share)\n\n37 个\n\n[一](fact:no.name)\n")
    built = tiny.run(site, *MKDOCS)
    assert built.stderr.count("docs/index.md:") == 3
    assert "3 处不对" in built.stderr
    assert not (site / "site/index.html").exists()
    assert not (site / "site/facts.json").exists()


def test_a_figure_that_fails_is_a_fault_of_the_build_and_of_its_quotes(site):
    (site / "figures/block.py").write_text("def draw():\n    raise ValueError('宽度是 7')\n")
    built, checked = both(site)
    assert built.returncode == 1
    for output in (built.stderr, checked.stdout):
        assert "figures/block.py:2 退出码 1" in output
        assert "宽度是 7" in output
        assert "docs/index.md:7:10 “三分之二”要的 block.share 没有值：图 block 没画成" in output


def test_a_figure_that_no_page_shows_must_be_right_too(site):
    (site / "figures/other.py").write_text("def draw():\n    return 1\n")
    assert "figures/other.py" in tiny.run(site, *CHECK).stdout


def test_a_number_in_a_caption_must_agree_with_the_figure(site):
    wrong = tiny.FIGURE.replace("一层参数怎么分", "FFN 占四分之三")
    (site / "figures/block.py").write_text(wrong, encoding="utf-8")
    assert "figures/block.py:1 图里写着“四分之三”" in tiny.run(site, *CHECK).stdout
    right = tiny.FIGURE.replace("一层参数怎么分", "FFN 占三分之二")
    (site / "figures/block.py").write_text(right, encoding="utf-8")
    assert tiny.run(site, *CHECK).returncode == 0


def test_a_wrong_ledger_is_a_fault(site):
    path = site / "docs/cited/a2020.toml"
    path.write_text(path.read_text(encoding="utf-8").replace('cell = "65"', 'cell = "66"'))
    built, checked = both(site)
    assert "docs/cited/a2020.toml:7 a2020.base" in built.stderr
    assert "docs/cited/a2020.toml:7 a2020.base" in checked.stdout


def test_the_ledger_is_not_published_as_a_page_asset(site):
    tiny.run(site, *MKDOCS)
    assert not (site / "site/cited").exists()


def test_code_may_show_a_binding(site):
    page(site, "写成 `[三分之二](fact:block.share)`：\n\n```markdown\n[八成](fact:no.name)\n```\n")
    built, _ = both(site)
    assert built.returncode == 0, built.stderr
    html = (site / "site/index.html").read_text(encoding="utf-8")
    assert "[三分之二](fact:block.share)" in html
    assert "no.name" in html
    assert not re.search("[\U00017000-\U00018aff]", html)


@pytest.mark.parametrize(
    ("source", "place"),
    [
        ("> 引文里[四分之三](fact:block.share)", "1:6"),
        ("- 甲\n- 乙 [四分之三](fact:block.share)", "2:5"),
        ("|a|b|\n|-|-|\n|c|[四分之三](fact:block.share)|", "3:4"),
        ("文[^1]\n\n[^1]: 注 [四分之三](fact:block.share)", "3:9"),
        ('??? note "详情"\n    里面 [四分之三](fact:block.share)', "2:8"),
        ("**粗 [四分之三](fact:block.share)**", "1:5"),
        ("```\n[八成](fact:block.share)\n```\n\n[四分之三](fact:block.share)", "5:1"),
        ("## 节 [四分之三](fact:block.share) {#s}", "1:6"),
    ],
)
def test_line_and_column_are_exact_wherever_a_number_may_stand(site, source, place):
    page(site, source)
    said = tiny.run(site, *CHECK).stdout
    assert f"docs/index.md:{place} “四分之三” 读作" in said, said


def test_a_line_break_between_chinese_characters_is_no_space(site):
    page(site, "前馈网络\n一层里占\n[三分之二](fact:block.share)\n多一点 LLM\n和词\n")
    tiny.run(site, *MKDOCS)
    html = (site / "site/index.html").read_text(encoding="utf-8")
    assert "前馈网络一层里占<a" in html
    assert "三分之二</a>多一点" in html


def test_text_from_facts_is_escaped(site):
    hostile = tiny.FIGURE.replace("一层里 FFN 的份额，不算偏置", '<script>alert(1)</script>&\\"')
    (site / "figures/block.py").write_text(hostile, encoding="utf-8")
    assert tiny.run(site, *MKDOCS).returncode == 0
    for name in ("index.html", "numbers/index.html"):
        assert "<script>alert(1)" not in (site / "site" / name).read_text(encoding="utf-8")


def test_two_builds_are_the_same_to_the_byte(site):
    def build():
        tiny.run(site, *MKDOCS)
        files = sorted(path for path in (site / "site").rglob("*") if path.is_file())
        return {path: path.read_bytes() for path in files if "sitemap" not in path.name}

    first = build()
    first_index = first[site / "site/index.html"]
    second = build()
    assert first.keys() == second.keys()
    stamped = re.compile(rb"Build Date UTC : [^\n]*")
    assert stamped.sub(b"", first_index) == stamped.sub(b"", second[site / "site/index.html"])


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (("read", "约八成"), 0, '"low": "0.75"'),
        (("read", "--", "-0.28"), 0, '"-0.285"'),
        (("read", "5%%"), 1, "error"),
        (("stale",), 0, ""),
        (("facts",), 0, "block.share = 66.6667%（figures/block.py:11）一层里 FFN 的份额，不算偏置"),
        (("facts", "--json"), 0, '"name": "a2020.base"'),
        (("where", "block.share"), 0, "docs/index.md:7:10  三分之二"),
        (("where", "block.shar"), 1, "最像的是 block.share"),
        (("draw", "block"), 0, "画了 0 张，0 张没画成，共 1 张"),
        (("draw", "--fresh", "block"), 0, "画了 1 张"),
        (("draw", "blok"), 1, "最像的是 block"),
        (("check", "--format", "json"), 0, '"verdict": "agrees"'),
        (("check", "--config", "no.yml"), 1, "no.yml 不存在"),
        (("check", "no.md"), 2, "no.md"),
        (("chek",), 2, "最像的是 check"),
        (("--help",), 0, "核对文章里的每一个数"),
        (("repro", "block"), 0, "PASS  block.share  66.6667% / 66.6667%"),
        (("repro", "blok"), 1, "最像的是 block"),
        (("check", "--format", "github"), 0, "都对得上"),
        (("check", "--site", "site"), 1, "site 里没有这一页；先 mkdocs build"),
    ],
)
def test_a_command_ends_with_the_right_status_and_words(site, arguments, status, said):
    result = tiny.run(site, "ffnsite", *arguments)
    assert result.returncode == status, result.stderr
    assert said in result.stdout + result.stderr


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ("site_name: x\nplugins: []\n", "plugins 里没有 ffnsite"),
        ("site_name: x\nplugins:\n  - ffnsite: {figures: figure}\n", "最像的是：figures"),
        ("site_name: x\nplugins:\n  - ffnsite: {names: ['']}\n", "names"),
        ("plugins: [ffnsite]\n", "site_name"),
    ],
)
def test_a_wrong_setting_says_what_to_write(site, config, said):
    (site / "mkdocs.yml").write_text(config, encoding="utf-8")
    result = tiny.run(site, *CHECK)
    assert result.returncode == 1
    assert said in result.stdout + result.stderr


def test_repro_fails_a_number_that_comes_out_differently(site):
    moving = tiny.FIGURE.replace('WIDTH, "count"', "__import__('time').time_ns(), \"count\"")
    (site / "figures/block.py").write_text(moving, encoding="utf-8")
    tiny.run(site, "ffnsite", "draw")
    said = tiny.run(site, "ffnsite", "repro", "block")
    assert said.returncode == 1
    assert "FAIL  block.width" in said.stdout
    assert "2 PASS，1 FAIL" in said.stdout


MATTER = """\
---
title: FFN 占三分之二
facts:
  三分之二: fact:block.share
---

# 参数 {#params}
"""


@pytest.mark.parametrize(
    ("change", "place", "said"),
    [
        (("三分之二", "四分之三"), "2:13", "“四分之三” 读作"),
        (
            ("  三分之二: fact:block.share", "  x: fact:block.share"),
            "2:13",
            "title 里的“三分之二”没有绑定",
        ),
        (("fact:block.share", "block.share"), "2:13", "应写成“三分之二: fact:名字”"),
        (
            ("title: FFN", "description: 共 81% 的\ntitle: FFN"),
            "2:16",
            "description 里的“81%”没有绑定",
        ),
        (("facts:", "facts: ]"), "3:", "不是合法的 YAML"),
    ],
)
def test_numbers_of_the_front_matter_are_bound_and_judged(site, change, place, said):
    page(site, MATTER)
    assert tiny.run(site, *CHECK).returncode == 0
    page(site, MATTER.replace(*change))
    output = tiny.run(site, *CHECK).stdout
    assert f"docs/index.md:{place}" in output
    assert said in output


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda html: html.replace(">三分之二</a>", ">四分之三</a>"),
            "文章里写的是“三分之二”，生成的页面上是“四分之三”",
        ),
        (lambda html: html.replace("<mn>8</mn>", "<mn>9</mn>"), "文章里写的是“$8d^2$”"),
        (lambda html: html.replace("一层里", "一层里 37 个"), "“37 个”没有绑定"),
        (
            lambda html: html.replace("一层里", '<a href="fact:no.name">一层里</a>'),
            '没解开的绑定：href="fact:no.name',
        ),
        (lambda html: re.sub("<!-- ffnsite [0-9a-f]+ -->", "", html), "没有核对过的印记"),
        (
            lambda html: re.sub("<!-- ffnsite [0-9a-f]+", "<!-- ffnsite 0123456789abcdef", html),
            "页面是旧的",
        ),
    ],
)
def test_a_built_page_that_was_changed_is_found_out(site, change, said):
    tiny.run(site, *MKDOCS)
    assert tiny.run(site, *CHECK, "--site", "site").returncode == 0
    built = site / "site/index.html"
    built.write_text(change(built.read_text(encoding="utf-8")), encoding="utf-8")
    result = tiny.run(site, *CHECK, "--site", "site")
    assert result.returncode == 1
    assert said in result.stdout


def test_a_page_built_before_the_fact_moved_is_old(site):
    tiny.run(site, *MKDOCS)
    (site / "figures/block.py").write_text(tiny.FIGURE.replace("8, 12", "80001, 120000"))
    result = tiny.run(site, *CHECK, "--site", "site")
    assert "页面是旧的" in result.stdout


def test_the_references_page_is_made_from_the_ledger(site):
    page(site, "# 文献 {#refs}\n\n<!-- ffnsite:references -->\n", "docs/refs.md")
    page(site, "base 有 [6,500 万](cite:a2020.base) 参数。\n")
    tiny.run(site, *MKDOCS)
    html = (site / "site/refs/index.html").read_text(encoding="utf-8")
    assert '<dt id="a2020">A（2020）<a href="https://example.org">T</a>' in html
    assert "Table 3，base 行，params ×10^6 列：65，引用 1 次" in html
    bibtex = (site / "site/assets/ffnsite/references.bib").read_text(encoding="utf-8")
    assert bibtex.startswith("@misc{a2020,\n  title = {{T}},\n  author = {A},\n  year = {2020},\n")


def test_all_numbers_can_be_downloaded(site):
    tiny.run(site, *MKDOCS)
    rows = (site / "site/assets/ffnsite/numbers.csv").read_text(encoding="utf-8").splitlines()
    assert rows[0].startswith("名字,来路,值,单位,口径")
    assert "block.share,现算,66.6667%,share" in rows[1]
    assert rows[1].endswith("三分之二,docs/index.md:7:10")
    assert any(row.startswith("a2020.base,文献") and row.endswith(",,") for row in rows)


def test_unquoted_cited_values_are_reported(site):
    report = json.loads(tiny.run(site, *CHECK, "--format", "json").stdout)
    assert report["unquoted"] == ["a2020.base"]
    (site / "mkdocs.yml").write_text(
        tiny.CONFIG.replace("limit: 20", "limit: 20\n      whole: true")
    )
    result = tiny.run(site, *CHECK)
    assert result.returncode == 1
    assert "docs/cited/a2020.toml:7 a2020.base 没有人引用" in result.stdout


def test_addresses_work_from_a_folder_and_with_plain_file_names(site):
    page(site, "# 甲 {#a}\n", "docs/index.md")
    deep = (
        "# 深 {#d}\n\n占[三分之二](fact:block.share)\n\n![条形图：FFN 的那一条最长](figure:block)\n"
    )
    (site / "docs/deep").mkdir()
    page(site, deep, "docs/deep/page.md")
    (site / "mkdocs.yml").write_text(f"{tiny.CONFIG}use_directory_urls: false\n", encoding="utf-8")
    built, _ = both(site)
    assert built.returncode == 0, built.stderr
    html = (site / "site/deep/page.html").read_text(encoding="utf-8")
    assert 'href="../numbers.html#block.share"' in html
    assert 'href="../numbers.html#figure-block"' in html
    assert 'data-plotly="../assets/ffnsite/plotly-' in html
    numbers = (site / "site/numbers.html").read_text(encoding="utf-8")
    assert 'href="deep/page.html#n1"' in numbers
    assert tiny.run(site, *CHECK, "--site", "site").returncode == 0


def test_an_excluded_page_is_neither_built_nor_checked(site):
    (site / "docs/drafts").mkdir()
    page(site, "共 37 个", "docs/drafts/later.md")
    assert both(site)[1].returncode == 1
    config = f"{tiny.CONFIG}exclude_docs: drafts/\n"
    (site / "mkdocs.yml").write_text(config, encoding="utf-8")
    assert both(site)[1].returncode == 0
    assert tiny.run(site, *CHECK, "--site", "site").returncode == 0


def test_a_ledger_may_lie_outside_of_the_articles(site):
    shutil.move(site / "docs/cited", site / "cited")
    config = tiny.CONFIG.replace("limit: 20", "limit: 20\n      ledger: cited")
    (site / "mkdocs.yml").write_text(config, encoding="utf-8")
    page(site, "base 有 [6,500 万](cite:a2020.base) 参数。\n")
    built, checked = both(site)
    assert built.returncode == 0, built.stderr
    assert "1 文献" in checked.stdout


def test_a_formula_among_words_is_set_on_the_numbers_page(site):
    page(site, "约[约 $8d^2$ 个](fact:block.ffn)，[$8d^2$ 到 $9d^2$](fact:block.ffn)\n")
    built, _ = both(site)
    assert built.returncode == 0, built.stderr
    html = (site / "site/numbers/index.html").read_text(encoding="utf-8")
    assert len(re.findall(r">约 <math>.*?</math> 个</a>", html)) == 1
    assert "$" not in html[html.index("ffn-ledger") : html.index("</table>")]
    index = site / "site/index.html"
    index.write_text(
        index.read_text(encoding="utf-8").replace("个</a>", "层</a>"), encoding="utf-8"
    )
    assert "文章里写的是“约 $8d^2$ 个”" in tiny.run(site, *CHECK, "--site", "site").stdout


def test_the_foot_of_a_page_stays_out_of_the_search(site):
    tiny.run(site, *MKDOCS)
    html = (site / "site/index.html").read_text(encoding="utf-8")
    assert re.search(r'<p class="ffn-counts [^>]*data-search-exclude>', html)


def test_a_path_that_is_no_page_is_not_called_right(site):
    for path in ("mkdocs.yml", "figures"):
        result = tiny.run(site, *CHECK, path)
        assert result.returncode == 1
        assert f"{path} 不是网站的页面" in result.stderr
    assert "1 页，" in tiny.run(site, *CHECK, "docs").stdout


def test_a_page_that_is_no_utf8_is_a_fault_and_costs_only_itself(site):
    (site / "docs/gbk.md").write_bytes("# 中文".encode("gbk"))
    built, checked = both(site)
    assert built.returncode == 1
    assert "docs/gbk.md:1:1 读不了这一页，文章要存成 UTF-8" in checked.stdout
    assert "1 处不对；其余 2 现算" in checked.stdout
