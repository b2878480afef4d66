"""How many operations does a piece of torch code do?"""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.utils.flop_counter import FlopCounterMode


@torch.inference_mode()
def operations(run: Callable[[], Tensor]) -> int:
    """What torch's own counter counts while `run` runs: matrix products, a multiply-add as two.

    Torch's fused attention on the CPU counts as nothing; what is to be counted has to be written
    out as products.
    """
    with FlopCounterMode(display=False) as counter:
        run()
    return int(counter.get_total_flops())
