"""Contrast of two colours as a browser reports them (WCAG 2.2, relative luminance)."""

import re


def channels(css: str) -> list[float]:
    """Red, green, blue and opacity, each 0..1, of `rgb(…)`, `rgba(…)` or `#rrggbb`."""
    if css.startswith("#"):
        return [int(css[k : k + 2], 16) / 255 for k in (1, 3, 5)] + [1.0]
    red, green, blue, *opacity = (float(part) for part in re.findall(r"[\d.]+", css))
    return [red / 255, green / 255, blue / 255, *(opacity or [1.0])]


def over(front: str, back: str) -> list[float]:
    """What is seen of a translucent colour on an opaque one."""
    *colour, opacity = channels(front)
    pairs = zip(colour, channels(back), strict=False)
    return [opacity * a + (1 - opacity) * b for a, b in pairs]


def luminance(colour: list[float]) -> float:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(front: str, back: str) -> float:
    """1 (the same) .. 21 (black on white)."""
    pair = sorted((luminance(over(front, back)), luminance(channels(back)[:3])))
    return (pair[1] + 0.05) / (pair[0] + 0.05)
