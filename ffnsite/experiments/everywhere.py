"""One prompt traced at every kind of site: hidden states, windows of attention, windows of FFN.

One measurement for all three, because starting a process and loading the model takes longer than
tracing a short prompt.
"""

from typing import get_args

from ffnsite.experiments.tracing import Site, Trace, trace
from ffnsite.measurement import measurement


@measurement
def trace_everywhere(
    prompt: str, subject: str, answer: str, samples: int, seed: int = 0
) -> dict[Site, Trace]:
    """The trace of each site, all on the same draws of noise.

    Raises:
        BadExperiment: as `trace`.
    """
    sites: tuple[Site, ...] = get_args(Site)
    return {
        site: trace.fresh(prompt, subject, answer, samples, seed=seed, site=site) for site in sites
    }
