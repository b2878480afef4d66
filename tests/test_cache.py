"""What is kept, and the closed list of reasons why it may not be used."""

import hashlib

import msgspec
import pytest

from ffnsite import cache
from ffnsite.cache import Cache, Damaged, Entry, Reason, Recipe, why_stale

RECIPE = Recipe({"a.py": "1"}, {"torch": "2"})


@pytest.fixture
def store(tmp_path):
    return Cache(tmp_path / "cache")


def entry(recipe=RECIPE, body=b'{"x":1}'):
    return Entry(recipe, 1.5, ["m"], msgspec.Raw(body))


def test_an_entry_comes_back_whole(store):
    store.keep("figures", "a", entry())
    back = store.load("figures", "a")
    assert (back.recipe, back.seconds, back.uses, bytes(back.body)) == (
        RECIPE,
        1.5,
        ["m"],
        b'{"x":1}',
    )


@pytest.mark.parametrize(
    "damage", [lambda b: b[:-3], lambda b: b.replace(b"1.5", b"9.5"), lambda _: b""]
)
def test_a_damaged_entry_is_not_trusted(store, damage):
    store.keep("figures", "a", entry())
    path = store.folder / "figures/a.json"
    path.write_bytes(damage(path.read_bytes()))
    assert store.load("figures", "a") is Damaged.DAMAGED
    assert why_stale(Damaged.DAMAGED, RECIPE).reason is Reason.DAMAGED


def test_a_right_checksum_over_something_else_is_damage_too(store):
    store.keep("figures", "a", entry())
    body = b'{"seconds":"often"}'
    line = hashlib.sha256(body).hexdigest().encode() + b"\n"
    (store.folder / "figures/a.json").write_bytes(line + body)
    assert store.load("figures", "a") is Damaged.DAMAGED


@pytest.mark.parametrize(
    ("recipe", "reason", "what"),
    [
        (Recipe({"a.py": "2"}, {"torch": "2"}), Reason.SOURCE, "a.py"),
        (Recipe({"a.py": "1", "b.py": "1"}, {"torch": "2"}), Reason.SOURCE, "b.py"),
        (Recipe({"a.py": "1"}, {"torch": "3"}), Reason.LIBRARY, "torch"),
    ],
)
def test_the_reason_names_what_changed(recipe, reason, what):
    stale = why_stale(entry(), recipe)
    assert (stale.reason, stale.what) == (reason, what)
    assert str(stale) == f"{reason.value}：{what}"


def test_a_file_that_was_read_counts(tmp_path):
    data = tmp_path / "data.txt"
    data.write_text("1", encoding="utf-8")
    with cache.recording() as reads:
        cache.read_bytes(data)
    kept = entry(Recipe(RECIPE.files, RECIPE.versions, reads))
    assert why_stale(kept, RECIPE) is None
    data.write_text("2", encoding="utf-8")
    assert why_stale(kept, RECIPE).reason is Reason.DATA
    data.unlink()
    assert why_stale(kept, RECIPE).reason is Reason.DATA


def test_what_an_inner_recording_reads_counts_for_the_outer_one(tmp_path):
    data = tmp_path / "data.txt"
    data.write_text("1", encoding="utf-8")
    with cache.recording() as outer:
        with cache.recording() as inner:
            cache.read_bytes(data)
        assert outer == inner != {}


def test_nothing_is_first(store):
    assert store.load("figures", "a") is None
    assert why_stale(None, RECIPE).reason is Reason.FIRST


def test_eviction_removes_what_nothing_claims(store):
    for name in "abc":
        store.keep("figures", name, entry())
    assert store.evict("figures", {"b"}) == ["a", "c"]
    assert store.load("figures", "b") is not None
    assert store.load("figures", "a") is None


def test_a_failed_write_leaves_the_old_content_and_no_rubbish(tmp_path, monkeypatch):
    path = tmp_path / "entry.json"
    cache.write_atomically(path, b"old")
    monkeypatch.setattr(cache.os, "fsync", _no_space)
    with pytest.raises(OSError, match="no space"):
        cache.write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def _no_space(_handle):
    raise OSError("no space")


def test_an_unknown_library_is_missing_rather_than_fine():
    assert cache.library_version("no_such_library_here") == "missing"


def test_a_library_whose_package_has_another_name_is_found():
    assert cache.library_version("yaml").startswith("PyYAML ")
