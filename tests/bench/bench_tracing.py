"""How much faster is tracing than the plain loop, and how near to the machine's peak does it run?

    python tests/bench/bench_tracing.py [--threads N] [--samples N] [--cells N] [--rounds N]
                                           [--clock wall|cpu] [--sites hidden attention ffn]

The plain loop runs one full forward with all logits per layer and position, on the same samples and
threads. All its cells cost the same, so only some are run, spread over the map; fast maps and plain
cells take turns, and each is judged by its fastest round, because other programs can only slow it
down. On a machine that others use, take one thread and `--clock cpu`. Reports; asserts nothing but that both find the same numbers.
"""

import argparse
import sys
import time

import numpy as np
import torch
from torch.utils.flop_counter import FlopCounterMode

from ffnsite.experiments.tracing import (
    WINDOW,
    draw_noise,
    subject_span,
    trace_site,
    window_of,
)
from ffnsite.models import smollm2

PROMPT, SUBJECT, ANSWER = "The Eiffel Tower is located in the city of", "Eiffel Tower", " Paris"
SITES = ("hidden", "attention", "ffn")
CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}
PEAK_SIZE = 2048


class Bench:
    """The prompt on SmolLM2-135M, traced in both ways."""

    def __init__(self, samples: int) -> None:
        self.model, tokenizer = smollm2.model(), smollm2.tokenizer()
        self.tokens = tokenizer.encode(PROMPT).ids
        self.span = subject_span(tokenizer, PROMPT, SUBJECT)
        self.target = tokenizer.encode(ANSWER).ids[0]
        drawn = draw_noise(samples, self.span[1] - self.span[0], self.model.config.d_model, seed=0)
        self.noise = 3 * self.model.embedding.weight.std() * drawn
        self.layers = self.model.config.layers
        self.positions = len(self.tokens) - self.span[0]

    def fast(self, site: str):
        """The whole map, samples first."""
        asked = (self.model, self.tokens, self.span, self.target, self.noise)
        return trace_site(*asked, site, WINDOW)[2]

    @torch.inference_mode()
    def clean(self, site: str):
        """What is put back: of each layer its stream or its sublayer's output, at all positions."""
        kept: list[torch.Tensor] = []
        hooks = [
            module.register_forward_hook(lambda module, given, out: kept.append(out[0]))
            for module in self._modules(site)
        ]
        self.model(torch.tensor([self.tokens]))
        for hook in hooks:
            hook.remove()
        return kept

    @torch.inference_mode()
    def plain(self, site: str, clean, layer: int, position: int):
        """One cell of the plain loop."""
        reach = [layer] if site == "hidden" else window_of(layer, WINDOW, self.layers)
        modules = self._modules(site)

        def restoring(right):
            def restore(module, given, out):
                out[:, position] = right
                return out

            return restore

        hooks = [modules[at].register_forward_hook(restoring(clean[at][position])) for at in reach]
        embedded = self.model.embedding(torch.tensor([self.tokens] * len(self.noise)))
        embedded[:, self.span[0] : self.span[1]] += self.noise
        stream = embedded
        for block in self.model.blocks:
            stream = block(stream)
        chances = self.model.logits(stream).softmax(dim=-1)[:, -1, self.target]
        for hook in hooks:
            hook.remove()
        return chances.numpy()

    def _modules(self, site: str):
        blocks = self.model.blocks
        return list(blocks) if site == "hidden" else [getattr(block, site) for block in blocks]

    def cells(self, count: int):
        """So many cells of the map, spread evenly."""
        chosen = np.linspace(0, self.layers * self.positions - 1, count).astype(int)
        return [
            (int(at) // self.positions, self.span[0] + int(at) % self.positions) for at in chosen
        ]


class Stopwatch:
    """Times work by one of the clocks."""

    def __init__(self, clock: str) -> None:
        self.now = CLOCKS[clock]

    def seconds(self, work) -> float:
        begun = self.now()
        work()
        return self.now() - begun

    def peak(self) -> float:
        """FLOP/s of one large float32 matrix product, the best of ten."""
        a, b = torch.randn(PEAK_SIZE, PEAK_SIZE), torch.randn(PEAK_SIZE, PEAK_SIZE)
        return 2 * PEAK_SIZE**3 / min(self.seconds(lambda: a @ b) for _ in range(10))


def flops(work) -> int:
    with FlopCounterMode(display=False) as counter:
        work()
    return counter.get_total_flops()


def report(bench: Bench, site: str, count: int, rounds: int, watch: Stopwatch) -> str:
    top = watch.peak()  # beside each site, because a shared machine changes its pace
    cells, clean = bench.cells(count), bench.clean(site)
    found = bench.fast(site)
    apart = max(
        np.abs(found[:, layer, at - bench.span[0]] - bench.plain(site, clean, layer, at)).max()
        for layer, at in cells
    )
    assert apart < 1e-4, f"{site}: the two maps differ by {apart}"
    fast, plain = [], []
    for _ in range(rounds):
        fast.append(watch.seconds(lambda: bench.fast(site)))
        plain.extend(
            watch.seconds(lambda cell=cell: bench.plain(site, clean, *cell)) for cell in cells
        )
    size = bench.layers * bench.positions
    whole = min(plain) * size
    work, all_work = (
        flops(lambda: bench.fast(site)),
        size * flops(lambda: bench.plain(site, clean, *cells[0])),
    )
    return (
        f"{site:<10}{min(fast):8.2f} s fast {whole:8.1f} s plain {whole / min(fast):6.2f} x faster "
        f"{all_work / work:6.2f} x fewer FLOP; of the peak of {top / 1e9:.0f} GFLOP/s: "
        f"{work / min(fast) / top:.0%} fast, {all_work / whole / top:.0%} plain; "
        f"largest difference {apart:.1e}\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--samples", type=int, default=10)
    parser.add_argument("--cells", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--clock", choices=CLOCKS, default="wall")
    parser.add_argument("--sites", nargs="+", choices=SITES, default=SITES)
    asked = parser.parse_args()
    torch.set_num_threads(asked.threads)
    bench, watch = Bench(asked.samples), Stopwatch(asked.clock)
    sys.stdout.write(
        f"{PROMPT!r}: {bench.layers} layers x {bench.positions} positions, {asked.samples} samples, "
        f"{asked.threads} threads, window {WINDOW}, {asked.clock} clock\n"
    )
    for site in asked.sites:
        sys.stdout.write(report(bench, site, asked.cells, asked.rounds, watch))
        sys.stdout.flush()


if __name__ == "__main__":
    main()
