"""What tests of experiments on the pretrained model share."""

import pytest

from ffnsite.models import smollm2


@pytest.fixture
def differentiable():
    """The pretrained model, loaded anew: an earlier test may have loaded it in inference mode."""
    smollm2.model.cache_clear()
    return smollm2.model()
