import pytest
from playwright.sync_api import expect

ROWS = "table.ffn-ledger tbody tr:visible"


@pytest.mark.parametrize(
    ("control", "value", "left"),
    [
        ("page", "params/", ["params.share", "shazeer2020.swiglu"]),
        ("page", "trace/", ["trace.peak"]),
        ("kind", "cite", ["shazeer2020.swiglu"]),
        ("text", "PEAK", ["trace.peak"]),
    ],
)
def test_each_filter_leaves_the_rows_that_fit(reader_of, static_home, control, value, left):
    page = reader_of(static_home).visit("ledger.html")
    expect(page.locator(ROWS)).to_have_count(3)
    field = page.locator(f".ffn-filter [name={control}]")
    if control == "text":
        field.fill(value)
    else:
        field.select_option(value)
    assert page.locator(ROWS).evaluate_all("rows => rows.map(row => row.id)") == left


def test_filters_combine_and_come_back(reader_of, static_home):
    page = reader_of(static_home, width=360).visit("ledger.html")
    page.locator("[name=page]").select_option("params/")
    page.locator("[name=kind]").select_option("fact")
    expect(page.locator(ROWS)).to_have_count(1)
    page.locator("[name=text]").press("Enter")
    assert page.url.endswith("ledger.html")
    page.locator("[name=page]").select_option("")
    page.locator("[name=kind]").select_option("")
    expect(page.locator(ROWS)).to_have_count(3)


def test_without_javascript_every_row_is_shown_and_no_filter(reader_of, static_home):
    page = reader_of(static_home, java_script_enabled=False).visit("ledger.html")
    expect(page.locator(ROWS)).to_have_count(3)
    expect(page.locator(".ffn-filter")).to_be_hidden()
