"""Float formats against torch.finfo, against bits counted one by one, and on numbers by hand."""

import struct
from fractions import Fraction

import numpy as np
import pytest
import torch

from ffnsite.experiments import floats
from ffnsite.experiments.floats import FORMATS

KINDS = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}


def from_bits(pattern: int, exponent: int, fraction: int) -> Fraction:
    """The number that a pattern stands for, read bit by bit."""
    bits = f"{pattern:0{1 + exponent + fraction}b}"
    power = int(bits[1 : 1 + exponent], 2) - (2 ** (exponent - 1) - 1)
    value = Fraction(1)
    for place, bit in enumerate(bits[1 + exponent :], start=1):
        value += Fraction(int(bit), 2**place)
    return (-1) ** int(bits[0]) * value * Fraction(2) ** power


@pytest.mark.parametrize("name", FORMATS)
def test_limits_are_those_of_torch(name):
    found, theirs = FORMATS[name], torch.finfo(KINDS[name])
    assert found.largest == Fraction(theirs.max)
    assert found.smallest == Fraction(theirs.smallest_normal)
    assert found.step == Fraction(theirs.eps)
    assert found.bits == theirs.bits


@pytest.mark.parametrize(
    ("name", "largest", "smallest"),
    [("bf16", 0x7F7F, 0x0080), ("fp16", 0x7BFF, 0x0400), ("fp32", 0x7F7FFFFF, 0x00800000)],
)
def test_limits_are_those_of_the_bits(name, largest, smallest):
    kind = FORMATS[name]
    assert from_bits(largest, kind.exponent, kind.fraction) == kind.largest
    assert from_bits(smallest, kind.exponent, kind.fraction) == kind.smallest


def test_bits_of_our_own_reading_are_those_of_the_machine():
    for pattern in (0x3C01, 0x7BFF, 0xC123):
        by_machine = struct.unpack("<e", struct.pack("<H", pattern))[0]
        assert from_bits(pattern, 5, 10) == Fraction(by_machine)


@pytest.mark.parametrize("name", ["bf16", "fp16"])
@pytest.mark.parametrize("x", [1.0, 3.7, 255.0, 24_000.0, 0.01])
def test_spacing_is_the_way_to_the_next_number(name, x):
    here = torch.tensor(x).to(KINDS[name])
    after = (here.view(torch.int16) + 1).view(KINDS[name])
    assert FORMATS[name].spacing(x) == Fraction(float(after)) - Fraction(float(here))


def test_bf16_reaches_as_far_as_fp32_and_fp16_does_not():
    assert FORMATS["bf16"].smallest == FORMATS["fp32"].smallest
    assert FORMATS["bf16"].largest / FORMATS["fp32"].largest > Fraction(99, 100)
    assert FORMATS["fp16"].largest == 65_504


def test_a_rounding_misses_by_half_a_spacing_at_most():
    x = torch.from_numpy(np.random.default_rng(0).uniform(1, 2, 1000)).float()
    for name, kind in floats.TORCH.items():
        error = (x.to(kind).float() - x).abs()
        assert error.max() <= float(FORMATS[name].step) / 2
        assert floats.missed(x, kind) == pytest.approx(float((error / x).mean()), rel=1e-6)


def test_a_square_overflows_from_256_on():
    words = torch.tensor([[255.9, 1.0], [-256.0, 1.0], [0.1, 0.2], [65_504.0, 0.0]])
    assert floats.overflowing(words).tolist() == [False, True, False, True]


def test_a_norm_that_squares_in_fp16_wipes_out_such_a_word():
    x = torch.tensor([700.0, 1.0, -2.0], dtype=torch.float16)
    assert (x / x.square().mean().sqrt()).tolist() == [0, 0, 0]
    assert torch.nn.functional.rms_norm(x.float(), (3,)).abs().min() > 0


def test_what_the_stream_asks_is_counted_apart_from_the_first_position():
    stream = torch.ones(3, 4, 5)
    stream[:, 0, 2] = torch.tensor([1000.0, 1000.0, 2.0])
    stream[0, 2, 2] = -300
    found = floats.need(stream)
    assert found.squares_overflow == pytest.approx(1 / 9)
    assert found.first_overflows == pytest.approx(2 / 3)
    assert found.rounding["fp16"] == 0
    assert floats.need(stream / 3).rounding["bf16"] > 0
