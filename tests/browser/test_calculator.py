"""The calculator of chapter 3 in a browser, against the closed formulas in Python."""

import random
import re
from fractions import Fraction
from pathlib import Path

import pytest
from demo_site import PAGE
from playwright.sync_api import Page, expect

from ffnsite.models import sizes
from ffnsite.models.sizes import Architecture
from ffnsite.models.zoo import LLAMA_3_8B, MODELS

ROOT = Path(__file__).resolve().parents[2]
ASSETS = ROOT / "docs" / "assets"
CHAPTER = ROOT / "docs" / "ffn" / "03-params.md"
FORM = re.compile(r'<form class="ffn-calculator".*?</form>', re.DOTALL)
# What Material offers: speaks at once to who subscribes, and again after each page it brings.
MATERIAL = (
    "<script>const heard = []; window.document$ = {subscribe: (f) => { heard.push(f); f(); }};"
    "window.arrive = () => heard.forEach((f) => f());</script>"
)


# Elements that no script has seen yet, with empty outputs.
NEW_PAGE = """(() => {
  const main = document.querySelector("main");
  main.innerHTML = main.innerHTML.replace(/(<output[^>]*>)[^<]*/g, "$1");
})()"""


@pytest.fixture(scope="module")
def home(static_home, static_folder) -> str:
    """A plain page with the chapter's own form, and one that stands in for Material's."""
    form = FORM.search(CHAPTER.read_text(encoding="utf-8"))[0]
    for name in ("calculator.js", "calculator.css"):
        (static_folder / "assets" / name).write_bytes((ASSETS / name).read_bytes())
    style = '<link rel="stylesheet" href="assets/calculator.css">'
    script = '<script src="assets/calculator.js"></script>'
    for page, before in (("calculator", ""), ("calculator-instant", MATERIAL)):
        body = f"{style}<main>{form}</main>{before}{script}"
        text = PAGE.format(scheme="default", body=body)
        (static_folder / f"{page}.html").write_text(text, encoding="utf-8")
    return static_home


def drawn_at_random(chance: random.Random, largest: int) -> Architecture:
    """A shape whose heads fill its width, or do not."""
    kv_heads, head_width = chance.randint(1, 64), chance.randint(1, 256)
    heads = kv_heads * chance.randint(1, 16)
    d_model = chance.choice([heads * head_width, chance.randint(1, largest)])
    return Architecture(
        name="random",
        d_model=d_model,
        d_ff=chance.randint(1, 6 * largest),
        layers=chance.randint(1, 200),
        heads=heads,
        kv_heads=kv_heads,
        head_width=head_width,
        vocabulary=chance.randint(1, 10 * largest),
        ffn=chance.choice(["two", "gated"]),
        norm="rms",
        bias="none",
        tied=chance.choice([True, False]),
        source="chance",
    )


def fill(page: Page, shape: Architecture) -> None:
    fields = ("d_ff", "layers", "heads", "kv_heads", "vocabulary")
    texts = {"d": shape.d_model} | {name: getattr(shape, name) for name in fields}
    follows = shape.heads * shape.head_width == shape.d_model
    for name, value in (texts | {"head_width": "" if follows else shape.head_width}).items():
        page.locator(f"[name={name}]").fill(str(value))
    page.locator("[name=gated]").set_checked(shape.ffn == "gated")
    page.locator("[name=tied]").set_checked(shape.tied)


def shown(page: Page) -> dict[str, str]:
    read = "all => Object.fromEntries(all.map(one => [one.name, one.value]))"
    return page.locator("form.ffn-calculator output").evaluate_all(read)


def expected(shape: Architecture) -> dict[str, str]:
    block, model = sizes.block(shape), sizes.model(shape)
    return {
        "attention": f"{block.attention:,}",
        "ffn": f"{block.ffn:,}",
        "block": f"{block.matrices:,}",
        "block_share": percent(Fraction(block.ffn, block.matrices)),
        "model": f"{model.total:,}",
        "model_share": percent(Fraction(model.ffn, model.total)),
        "fault": "",
    }


def percent(share: Fraction) -> str:
    """To a tenth of a percent, a half up."""
    tenths = int(1000 * share + Fraction(1, 2))
    return f"{tenths // 10}.{tenths % 10}%"


@pytest.mark.parametrize("largest", [20_000, 10**12], ids=["real", "beyond double precision"])
def test_random_shapes_come_to_the_formulas_to_the_unit(reader_of, home, largest):
    page = reader_of(home).visit("calculator.html")
    chance = random.Random(largest)
    for _ in range(25):
        shape = drawn_at_random(chance, largest)
        fill(page, shape)
        assert shown(page) == expected(shape), shape


def test_the_form_opens_with_llama_3_8b(reader_of, home):
    page = reader_of(home, width=360).visit("calculator.html")
    assert shown(page) == expected(LLAMA_3_8B)
    assert page.evaluate("document.documentElement.scrollWidth") == 360


@pytest.mark.parametrize("key", ["llama3_8b", "llama_7b", "palm_540b", "smollm2"])
def test_each_button_fills_in_the_model_of_its_name(reader_of, home, key):
    page = reader_of(home).visit("calculator.html")
    page.get_by_role("button", name=MODELS[key].name, exact=True).click()
    shape = MODELS[key]
    norms = 2 - shape.block_norms  # the form gives every block two norms, PaLM has one
    counts = expected(shape)
    counts["model"] = f"{sizes.model(shape).total + norms * shape.layers * shape.d_model:,}"
    assert shown(page) == counts


@pytest.mark.parametrize(
    ("name", "typed", "fault"),
    [
        ("layers", "", "层数要填正整数"),
        ("d", "0", "宽 d要填正整数"),
        ("d_ff", "3.5", "FFN 宽要填正整数"),
        ("vocabulary", "-1", "词表要填正整数"),
        ("kv_heads", "5", "query 头数要是 KV 头数的整数倍"),
        ("d", "4097", "宽 d 除不尽 query 头数，请填每头宽"),
    ],
)
def test_what_cannot_be_counted_is_said_and_no_old_number_stays(
    reader_of, home, name, typed, fault
):
    page = reader_of(home).visit("calculator.html")
    page.locator(f"[name={name}]").fill(typed)
    texts = shown(page)
    assert texts.pop("fault") == fault
    assert set(texts.values()) == {"—"}


def test_separators_in_a_pasted_number_do_no_harm(reader_of, home):
    page = reader_of(home).visit("calculator.html")
    page.locator("[name=vocabulary]").fill(" 128,256 ")
    page.locator("[name=d_ff]").fill("14，336")
    assert shown(page) == expected(LLAMA_3_8B)


def test_enter_sends_nothing(reader_of, home):
    page = reader_of(home).visit("calculator.html")
    page.locator("[name=d]").press("Enter")
    assert page.url.endswith("calculator.html")


def test_a_form_that_instant_navigation_brings_is_counted(reader_of, home):
    page = reader_of(home).visit("calculator-instant.html")
    assert shown(page) == expected(LLAMA_3_8B)
    page.evaluate(NEW_PAGE)
    assert shown(page)["model"] == ""
    page.evaluate("arrive()")
    assert shown(page) == expected(LLAMA_3_8B)
    page.locator("[name=tied]").check()
    expect(page.locator("[name=model]")).to_have_text("7,504,924,672")


def test_without_javascript_there_is_no_form(reader_of, home):
    page = reader_of(home, java_script_enabled=False).visit("calculator.html")
    expect(page.locator("form.ffn-calculator")).to_be_hidden()


def test_the_site_loads_the_calculator():
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert "  - assets/calculator.js\n" in settings
    assert "  - assets/calculator.css\n" in settings
