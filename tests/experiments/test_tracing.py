"""Causal tracing against the plain loop, and on a model whose causal site is known."""

import numpy as np
import pytest
import torch

from ffnsite.errors import BadExperiment
from ffnsite.experiments import tracing
from ffnsite.experiments.tracing import (
    Trace,
    block_steps,
    draw_noise,
    roles,
    subject_span,
    trace,
    trace_site,
    window_of,
)
from ffnsite.models import smollm2
from ffnsite.models.llama import Llama, LlamaConfig

EIFFEL = ("The Eiffel Tower is located in the city of", "Eiffel Tower", " Paris")


@pytest.fixture
def small():
    torch.manual_seed(3)
    model = Llama(LlamaConfig(16, 24, 4, 4, 2, 4, 12, tied=True, rope_base=1e4, norm_eps=1e-5))
    return model.eval().requires_grad_(False)


@pytest.fixture
def deep():
    torch.manual_seed(4)
    model = Llama(LlamaConfig(16, 24, 7, 4, 2, 4, 12, tied=True, rope_base=1e4, norm_eps=1e-5))
    return model.eval().requires_grad_(False)


@torch.inference_mode()
def plain_cell(model, tokens, subject, target, noise, layer, position):
    """The definition: a full forward with all logits, the clean state put back by an edit."""
    embedded = model.embedding(torch.tensor([tokens]))
    clean = model.streams(embedded)
    blurred = embedded.repeat(len(noise), 1, 1)
    blurred[:, subject[0] : subject[1]] += noise

    def restore(depth, stream):
        if depth == layer + 1:
            stream = stream.clone()
            stream[:, position] = clean[depth, 0, position]
        return stream

    logits = model.logits(model.streams(blurred, restore)[-1])
    return logits.softmax(dim=-1)[:, -1, target].numpy()


def test_the_fast_map_equals_the_plain_loop_in_every_cell(small):
    tokens, subject, noise = [3, 1, 4, 1, 5, 9], (1, 3), draw_noise(5, 2, 16, seed=0)
    _, _, restored = trace_site(small, tokens, subject, 7, noise)
    assert restored.shape == (5, 4, 5)
    for layer in range(4):
        for position in range(1, 6):
            expected = plain_cell(small, tokens, subject, 7, noise, layer, position)
            found = restored[:, layer, position - 1]
            np.testing.assert_allclose(found, expected, atol=1e-6, rtol=0)


def test_at_the_top_the_last_token_gives_the_clean_answer_and_all_others_nothing(small):
    noise = draw_noise(5, 2, 16, seed=0)
    clean, corrupted, restored = trace_site(small, [3, 1, 4, 1, 5, 9], (1, 3), 7, noise)
    np.testing.assert_allclose(restored[:, -1, -1], clean, atol=1e-6)
    np.testing.assert_allclose(restored[:, -1, :-1].T, [corrupted] * 4, atol=1e-6)


@torch.inference_mode()
def plain_window(model, tokens, subject, target, noise, site, layers, position):
    """The definition: a full forward with all logits, hooks put the clean outputs back."""
    embedded = model.embedding(torch.tensor([tokens]))
    clean = []
    sublayers = [getattr(model.blocks[layer], site) for layer in layers]
    hooks = [each.register_forward_hook(lambda m, i, out: clean.append(out)) for each in sublayers]
    model.streams(embedded)
    for hook in hooks:
        hook.remove()
    right = {each: out[0, position] for each, out in zip(sublayers, clean, strict=True)}

    def restore(module, inputs, output):
        output = output.clone()
        output[:, position] = right[module]
        return output

    hooks = [each.register_forward_hook(restore) for each in sublayers]
    blurred = embedded.repeat(len(noise), 1, 1)
    blurred[:, subject[0] : subject[1]] += noise
    logits = model.logits(model.streams(blurred)[-1])
    for hook in hooks:
        hook.remove()
    return logits.softmax(dim=-1)[:, -1, target].numpy()


@pytest.mark.parametrize("site", ["attention", "ffn"])
@pytest.mark.parametrize(
    ("width", "lowest"), [(1, 0), (2, 0), (3, 0), (6, 0), (20, 0), (3, 1), (6, 1), (20, 4)]
)
def test_a_window_equals_the_plain_loop_in_every_cell(deep, site, width, lowest):
    tokens, subject, noise = [3, 1, 4, 1, 5, 9], (1, 3), draw_noise(5, 2, 16, seed=0)
    clean, corrupted, restored = trace_site(deep, tokens, subject, 7, noise, site, width, lowest)
    hidden = trace_site(deep, tokens, subject, 7, noise)
    assert clean == pytest.approx(hidden[0], abs=1e-6)
    np.testing.assert_allclose(corrupted, hidden[1], atol=1e-6)
    assert restored.shape == (5, 7, 5)
    for layer in range(7):
        around = range(layer - width // 2, layer + (width + 1) // 2)
        reach = [at for at in range(lowest, 7) if at in around]
        for position in range(1, 6):
            expected = plain_window(deep, tokens, subject, 7, noise, site, reach, position)
            found = restored[:, layer, position - 1]
            np.testing.assert_allclose(found, expected, atol=1e-6, rtol=0)


@pytest.mark.parametrize(
    ("layer", "width", "expected"),
    [
        (15, 6, [12, 13, 14, 15, 16, 17]),
        (1, 6, [0, 1, 2, 3]),
        (29, 6, [26, 27, 28, 29]),
        (15, 1, [15]),
        (15, 3, [14, 15, 16]),
        (0, 2, [0]),
    ],
)
def test_a_window_is_cut_off_at_the_ends(layer, width, expected):
    assert list(window_of(layer, width, layers=30)) == expected


def test_a_window_may_leave_out_the_lowest_layers_but_not_all_of_its_own():
    assert list(window_of(0, 6, layers=30, lowest=1)) == [1, 2]
    assert list(window_of(9, 6, layers=30, lowest=1)) == [6, 7, 8, 9, 10, 11]
    with pytest.raises(BadExperiment, match="第 0 层周围 2 层的窗口里，没有不低于第 1 层的层"):
        window_of(0, 2, layers=30, lowest=1)


def model_that_reads_one_token_in_its_second_block() -> Llama:
    """Block 0 does nothing; in block 1 the last token copies what the marked token knows.

    Numbers of the stream: 0 marks who is asked, 1 who asks, 2 and 3 hold what is known (two rival
    facts), 4 and 5 what will be said. Tokens 0–3 are the prompt, 4 and 5 the two answers.
    """
    model = Llama(LlamaConfig(6, 2, 2, 1, 1, 4, 6, tied=False, rope_base=1e8, norm_eps=1e-5))
    model.eval().requires_grad_(False)
    for block in model.blocks:
        block.attention.output.weight.zero_()
        block.ffn.down.weight.zero_()
    attention = model.blocks[1].attention
    for layer in (attention.query, attention.key, attention.value, model.embedding, model.head):
        layer.weight.zero_()
    attention.query.weight[1, 1] = attention.key.weight[1, 0] = 20  # pair 1 hardly turns
    attention.value.weight[0, 2] = attention.value.weight[1, 3] = 1
    attention.output.weight[4, 0] = attention.output.weight[5, 1] = 4
    model.embedding.weight[1, 0] = model.embedding.weight[3, 1] = 1
    model.embedding.weight[1, 2] = 1
    model.head.weight[4, 4] = model.head.weight[5, 5] = 5
    return model


def test_the_causal_site_of_a_hand_made_model_is_found():
    model, prompt, subject = model_that_reads_one_token_in_its_second_block(), [0, 1, 2, 3], (0, 2)
    noise = torch.zeros(3, 2, 6)
    noise[:, :, 2], noise[:, :, 3] = -2, torch.tensor([1.0, 2.0, 3.0])[:, None]
    clean, corrupted, restored = trace_site(model, prompt, subject, target=4, noise=noise)
    assert clean > 0.9
    assert corrupted.max() < 0.1
    rescued = np.array([[False, True, False, False], [False, False, False, True]])
    for sample in range(3):
        expected = np.where(rescued, clean, corrupted[sample])
        np.testing.assert_allclose(restored[sample], expected, atol=1e-5)


def test_the_window_of_a_hand_made_model_finds_the_attention_that_copies():
    model, prompt, subject = model_that_reads_one_token_in_its_second_block(), [0, 1, 2, 3], (0, 2)
    noise = torch.zeros(3, 2, 6)
    noise[:, :, 2], noise[:, :, 3] = -2, torch.tensor([1.0, 2.0, 3.0])[:, None]
    for site, right in (
        ("attention", [[False] * 4, [False] * 3 + [True]]),
        ("ffn", [[False] * 4] * 2),
    ):
        clean, corrupted, restored = trace_site(model, prompt, subject, 4, noise, site, 1)
        for sample in range(3):
            expected = np.where(np.array(right), clean, corrupted[sample])
            np.testing.assert_allclose(restored[sample], expected, atol=1e-5)


def model_that_knows_in_its_first_ffn() -> Llama:
    """Block 0's FFN turns the marked token's name into a fact; block 1's attention copies the fact.

    Numbers of the stream: 0 marks who is asked, 1 who asks, 2 and 3 are two names, 4 and 5 the fact
    that belongs to each, 6 and 7 what will be said. Tokens 0–3 are the prompt, 4 and 5 the answers.
    """
    model = Llama(LlamaConfig(8, 2, 2, 1, 1, 4, 6, tied=False, rope_base=1e8, norm_eps=1e-5))
    model.eval().requires_grad_(False)
    for parameter in model.parameters():
        parameter.zero_()
    for norm in (m for m in model.modules() if isinstance(m, torch.nn.RMSNorm)):
        norm.weight.fill_(1)
    ffn, attention = model.blocks[0].ffn, model.blocks[1].attention
    ffn.gate.weight[:, 0] = 4  # only the marked token opens them
    ffn.up.weight[0, 2] = ffn.up.weight[1, 3] = 1
    ffn.down.weight[4, 0] = ffn.down.weight[5, 1] = 4
    attention.query.weight[1, 1] = attention.key.weight[1, 0] = 40  # pair 1 hardly turns
    attention.value.weight[0, 4] = attention.value.weight[1, 5] = 1
    attention.output.weight[6, 0] = attention.output.weight[7, 1] = 4
    model.embedding.weight[1, 0] = model.embedding.weight[1, 2] = model.embedding.weight[3, 1] = 1
    model.head.weight[4, 6] = model.head.weight[5, 7] = 5
    return model


@pytest.mark.parametrize(
    ("site", "width", "lowest", "rescued"),
    [
        ("hidden", 1, 0, {(0, 1), (1, 3)}),
        ("ffn", 1, 0, {(0, 1)}),
        ("ffn", 2, 0, {(0, 1), (1, 1)}),
        ("ffn", 3, 1, set()),
        ("attention", 1, 0, {(1, 3)}),
    ],
)
def test_the_ffn_that_knows_is_found_and_the_attention_that_copies(site, width, lowest, rescued):
    model, prompt, subject = model_that_knows_in_its_first_ffn(), [0, 1, 2, 3], (0, 2)
    noise = torch.zeros(3, 2, 8)
    noise[:, 1, 2], noise[:, 1, 3] = -1, torch.tensor([0.5, 1.0, 1.5])
    clean, corrupted, restored = trace_site(model, prompt, subject, 4, noise, site, width, lowest)
    assert clean > 0.9
    assert corrupted.max() < 0.1
    for layer in range(2):
        for position in range(4):
            found = restored[:, layer, position]
            if (layer, position) in rescued:
                assert found.min() > 0.9
            else:
                np.testing.assert_allclose(found, corrupted, atol=1e-5)


@pytest.fixture
def by_hand():
    restored = np.array([[[0.1, 0.5, 0.1, 0.1], [0.1, 0.1, 0.2, 0.9]]])
    restored = np.concatenate([restored, restored + 0.02])
    tokens = ("The", " Big", " Ben", " is", " in")
    return Trace(tokens, (1, 3), 0.02, 0.9, np.array([0.1, 0.12]), restored)


def test_effects_are_what_is_restored_less_what_corruption_left(by_hand):
    assert by_hand.total_effect == pytest.approx(0.79)
    np.testing.assert_allclose(by_hand.effects, [[0, 0.4, 0, 0], [0, 0, 0.1, 0.8]], atol=1e-12)


def test_a_peak_is_the_largest_effect_among_the_roles_asked_for(by_hand):
    assert by_hand.roles == ("first", "last_subject", "next", "last")
    peak = by_hand.peak("first", "last_subject")
    assert (peak.layer, peak.position, peak.effect) == (0, 2, pytest.approx(0.4))
    assert (by_hand.peak().layer, by_hand.peak().position) == (1, 4)
    with pytest.raises(BadExperiment, match=r"'The Big Ben is in' 里没有角色是 middle 的词"):
        by_hand.peak("middle")


def test_the_last_token_takes_over_where_it_first_outdoes_the_subject(by_hand):
    assert by_hand.handover == 1
    assert by_hand.effect(0, 2) == pytest.approx(0.4)
    assert [by_hand.layers_led_by(position) for position in range(1, 5)] == [0, 1, 0, 1]


def test_samples_are_counted_for_the_subject_token_that_restores_most(by_hand):
    assert (by_hand.samples_led_by(1), by_hand.samples_led_by(2)) == (0, 2)
    by_hand.restored[1, 1, 0] = 0.7
    assert (by_hand.samples_led_by(1), by_hand.samples_led_by(2)) == (1, 1)


def test_block_steps_count_what_each_way_has_to_run():
    plain = sum(3 * 5 for layer in range(3) for position in range(1, 5))
    rerun = sum(
        5 - position
        for position in range(1, 5)
        for restored in range(3)
        for block in range(restored + 1, 3)
    )
    assert block_steps(layers=3, tokens=5, first=1) == (plain, rerun)


@pytest.mark.parametrize(
    ("subject", "tokens", "expected"),
    [
        ((1, 4), 8, ["first", "middle", "last_subject", "next", "further", "further", "last"]),
        ((0, 1), 3, ["last_subject", "next", "last"]),
        ((2, 3), 4, ["last_subject", "last"]),
    ],
)
def test_roles_name_the_parts_of_the_subject_and_what_follows(subject, tokens, expected):
    assert list(roles(subject, tokens)) == expected


def test_noise_is_standard_normal_and_decided_by_its_seed_alone():
    drawn = draw_noise(40, 3, 500, seed=1)
    assert drawn.shape == (40, 3, 500)
    assert drawn.mean().item() == pytest.approx(0, abs=0.02)
    assert drawn.std().item() == pytest.approx(1, abs=0.02)
    torch.manual_seed(99)
    assert torch.equal(draw_noise(40, 3, 500, seed=1), drawn)
    assert not torch.equal(draw_noise(40, 3, 500, seed=2), drawn)


@pytest.mark.xdist_group("smollm2")
class TestOnSmolLM2:
    """The real model, with few samples."""

    def test_the_subject_is_the_tokens_that_hold_its_letters(self):
        prompt, subject, _ = EIFFEL
        assert subject_span(smollm2.tokenizer(), prompt, subject) == (1, 4)
        assert subject_span(smollm2.tokenizer(), prompt, "Eiffel") == (1, 3)

    def test_a_subject_that_is_not_there_once_or_ends_the_prompt_is_refused(self):
        tokenizer = smollm2.tokenizer()
        with pytest.raises(BadExperiment, match=r"主语 'Louvre' 应在提示 .* 里恰好出现一次"):
            subject_span(tokenizer, EIFFEL[0], "Louvre")
        with pytest.raises(BadExperiment, match="恰好出现一次"):
            subject_span(tokenizer, "the cat and the dog are", "the")
        with pytest.raises(BadExperiment, match=r"'city of' 不能是提示 .* 的结尾"):
            subject_span(tokenizer, EIFFEL[0], "city of")

    def test_the_map_of_the_eiffel_tower_equals_the_plain_loop(self):
        found = trace.fresh(*EIFFEL, samples=2)
        model, tokenizer = smollm2.model(), smollm2.tokenizer()
        tokens, target = tokenizer.encode(EIFFEL[0]).ids, tokenizer.encode(EIFFEL[2]).ids[0]
        noise = 3 * model.embedding.weight.std() * draw_noise(2, 3, 576, seed=0)
        assert found.tokens[found.subject[0] : found.subject[1]] == (" E", "iffel", " Tower")
        assert found.clean == pytest.approx(0.7016, abs=5e-4)
        for layer, position in [(0, 2), (12, 1), (22, 2), (23, 9), (28, 6)]:
            cell = plain_cell(model, tokens, found.subject, target, noise, layer, position)
            np.testing.assert_allclose(found.restored[:, layer, position - 1], cell, atol=1e-4)

    def test_window_maps_of_the_eiffel_tower_equal_the_plain_loop(self):
        model, tokenizer = smollm2.model(), smollm2.tokenizer()
        tokens, target = tokenizer.encode(EIFFEL[0]).ids, tokenizer.encode(EIFFEL[2]).ids[0]
        noise = 3 * model.embedding.weight.std() * draw_noise(2, 3, 576, seed=0)
        for site, layer, position in [("ffn", 2, 2), ("ffn", 14, 1), ("attention", 24, 9)]:
            found = trace.fresh(*EIFFEL, samples=2, site=site)
            reach = range(max(0, layer - 3), layer + 3)
            cell = plain_window(model, tokens, (1, 4), target, noise, site, reach, position)
            np.testing.assert_allclose(found.restored[:, layer, position - 1], cell, atol=1e-4)


def test_every_role_that_is_named_is_known():
    assert set(roles((1, 4), 8)) == set(tracing.ROLES)
