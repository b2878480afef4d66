"""The unit of work: one experiment with its arguments, cached, shared by all figures that ask.

A plain call returns the kept result, or computes and keeps it. While a figure is drawn by a child
process, a missing result is not computed there: the request is reported, `gather` runs all missing
ones in parallel processes of their own, and the figure is drawn again when they are there.
"""

import importlib
import inspect
import time
import typing
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Generic, ParamSpec, TypeVar

import msgspec
import numpy as np

from ffnsite import cache, sources
from ffnsite.cache import Entry
from ffnsite.desk import KIND, PLUMBING, Request, Unmeasured, desk
from ffnsite.errors import BadSource

P = ParamSpec("P")
R = TypeVar("R")


def measurement(function: Callable[P, R]) -> "Measurement[P, R]":
    """Makes a module-level function of an experiment a cached unit of work."""
    return Measurement(function)


class Measurement(Generic[P, R]):
    """A function whose results are kept; see the module's docstring."""

    def __init__(self, function: Callable[P, R]) -> None:
        self._function = function
        self.name = f"{function.__module__}.{function.__qualname__}"
        self.__doc__ = function.__doc__
        self.__wrapped__ = function

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """The result for these arguments, kept or computed now."""
        return self._results([self._request(*args, **kwargs)])[0]

    def together(self, calls: Iterable[tuple[Any, ...]]) -> list[R]:
        """The results of many calls; the missing ones may be computed side by side."""
        return self._results([self._request(*call) for call in calls])

    def fresh(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Computes, neither reading nor writing the cache."""
        return self._function(*args, **kwargs)

    def run(self, request: Request) -> R:
        """Computes the request and keeps its result, unless a current one is there."""
        kept = self._kept(request)
        if kept is not None:
            return kept
        entry = self.entry(request)
        desk.cache.keep(KIND, request.name, entry)
        return self.typed(entry.body)

    def entry(self, request: Request) -> Entry:
        """Computes the request and returns what would be kept of it; neither reads nor keeps.

        Raises:
            BadSource: the function does not take such arguments.
        """
        arguments = self._arguments(request)
        # Taken before the run: code that is edited meanwhile must not pass for what was run.
        recipe = self._recipe()
        with cache.recording() as reads:
            started = time.perf_counter()
            result = self._function(**arguments)  # type: ignore[call-arg]
            seconds = time.perf_counter() - started
        recipe.reads.update(reads)
        return Entry(recipe, seconds, [], msgspec.Raw(encode(result)))

    def _results(self, requests: list[Request]) -> list[R]:
        if desk.asking:
            missing = [request for request in requests if self._kept(request) is None]
            if missing:
                raise Unmeasured(list(dict.fromkeys(missing)))
        return [self.run(request) for request in requests]

    def _kept(self, request: Request) -> R | None:
        if desk.used is not None:
            desk.used[request.name] = None
        entry = desk.cache.load(KIND, request.name)
        if not isinstance(entry, Entry) or cache.why_stale(entry, self._recipe()):
            return None
        cache.record_reads(entry.recipe.reads)
        try:
            return self.typed(entry.body)
        except msgspec.ValidationError:  # the result's type is another one now
            return None

    def _recipe(self) -> cache.Recipe:
        path = Path(inspect.getfile(inspect.unwrap(self._function)))
        return cache.recipe_of(sources.closure(path, desk.root, PLUMBING), desk.root)

    def _request(self, *args: Any, **kwargs: Any) -> Request:
        bound = inspect.signature(self._function).bind(*args, **kwargs)
        bound.apply_defaults()
        return Request(self.name, encode(bound.arguments).decode())

    def _arguments(self, request: Request) -> dict[str, Any]:
        hints = typing.get_type_hints(self._function)
        raw = msgspec.json.decode(request.arguments, type=dict[str, msgspec.Raw])
        try:
            inspect.signature(self._function).bind(**raw)
            return {name: decode(value, hints[name]) for name, value in raw.items()}
        except (TypeError, msgspec.ValidationError) as fault:
            raise BadSource(f"{self.name} 不收这样的参数 {request.arguments}：{fault}") from fault

    def typed(self, body: msgspec.Raw) -> R:
        """A result again from its JSON; a `msgspec.ValidationError` when it is of another type."""
        return typing.cast("R", decode(body, typing.get_type_hints(self._function)["return"]))


def find(name: str) -> Measurement[..., Any]:
    """The measurement of this dotted name; imports its module.

    Raises:
        BadSource: there is no such measurement.
    """
    module, _, short = name.rpartition(".")
    found = getattr(importlib.import_module(module), short, None)
    if not isinstance(found, Measurement):
        raise BadSource(f"{name} 不是 @measurement")
    return found


def encode(thing: Any) -> bytes:
    """JSON of dataclasses, tuples, numbers and numpy arrays; floats keep every bit."""
    return msgspec.json.encode(thing, enc_hook=_encode_array, order="deterministic")


def decode(body: bytes | msgspec.Raw, kind: Any) -> Any:
    """The thing of this type again, from its JSON."""
    return msgspec.json.decode(body, type=kind, dec_hook=_decode_array)


def _encode_array(thing: Any) -> Any:
    if isinstance(thing, np.ndarray):
        return {
            "dtype": str(thing.dtype),
            "shape": list(thing.shape),
            "data": thing.ravel().tolist(),
        }
    if isinstance(thing, np.generic):
        return thing.item()
    raise TypeError(
        f"测量的参数和结果只能是数、文字、元组、字典、数组和 dataclass，这里有 {type(thing).__name__}"
    )


def _decode_array(kind: type, thing: Any) -> Any:
    # jaxtyping's Float[np.ndarray, "…"] carries the array's type as an attribute.
    if np.ndarray in (kind, typing.get_origin(kind), getattr(kind, "array_type", None)):
        return np.array(thing["data"], dtype=thing["dtype"]).reshape(thing["shape"])
    raise TypeError(f"不会从 JSON 读回 {kind}")
