# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 做一次因果追踪 {#trace-a-fact}
#
# [知识存在 FFN 里吗](../ffn/08-knowledge.md)用因果追踪看一条事实从哪里过。这一本在 SmolLM2-135M 上把它从头做一遍：干净地跑、把主语弄糊、再一格一格换回来。先写最直白的版本，一格重跑一遍整个模型；再换成只换 FFN 或 attention 的版本；最后和本站的快速版对答案。每一格里的 `assert` 都会真的执行。

# %%
import torch

from ffnsite.experiments.tracing import draw_noise, trace_site
from ffnsite.models import smollm2

torch.set_grad_enabled(False)
torch.set_num_threads(1)  # 句子短，一个线程更快
model, tokenizer = smollm2.model(), smollm2.tokenizer()
LAYERS = len(model.blocks)

# %% [markdown]
# ## 第一遍：干净 {#clean}
#
# 句子选短一点，好让后面的循环快些。主语是 South Korea，两个词元；它后面的词都不动。

# %%
tokens = tokenizer.encode("The capital of South Korea is the city of").ids
words = [tokenizer.decode([token]) for token in tokens]
seoul = tokenizer.encode(" Seoul").ids[0]
first, behind = words.index(" South"), words.index(" is")


def chance(stream):
    """末词之后是 Seoul 的概率，几份噪声取平均。"""
    return float(model.logits(stream[:, -1]).softmax(dim=-1)[:, seoul].mean())


embedded = model.embedding(torch.tensor([tokens]))
clean = model.streams(embedded)  # (层数 + 1, 1, 词, 宽)：第零份是嵌入
assert chance(clean[-1]) > 0.8
words, round(chance(clean[-1]), 3)

# %% [markdown]
# ## 第二遍：把主语弄糊 {#corrupted}
#
# 只在主语两个词的嵌入上加噪声，标准差是词嵌入标准差的[三倍](fact:trace.sigmas)。抽两份，一起当作一批来跑。

# %%
noise = 3 * model.embedding.weight.std() * draw_noise(2, behind - first, embedded.shape[-1], seed=0)
blurred = embedded.repeat(len(noise), 1, 1)
blurred[:, first:behind] += noise
corrupted = chance(model.streams(blurred)[-1])
assert corrupted < 0.1
round(corrupted, 4)

# %% [markdown]
# ## 第三遍：换回一格 {#restored}
#
# `streams` 每写完一层就把残差流交给 `edit`，交回来的才往上走。在第 `layer` 层之后、第 `position` 个词上，把它换成干净那一遍的，别的照糊。


# %%
def restore_state(layer, position):
    def edit(depth, stream):
        if depth == layer + 1:  # 第零份是嵌入，所以差一
            stream = stream.clone()
            stream[:, position] = clean[depth, :, position]
        return stream

    return chance(model.streams(blurred, edit)[-1])


round(restore_state(10, words.index(" Korea")), 3), round(restore_state(10, words.index(" is")), 3)

# %% [markdown]
# 换回 Korea 救回一大截，换回紧跟着的 is 几乎没用。现在把每一格都试一遍，减去加噪后的概率，就是间接效应。


# %%
def drawn(effects):
    """一行一个词，一格一个字符：越黑效应越大。"""
    shades = (effects.clamp(0, 0.99) * 6).int().tolist()
    lines = ("".join(" ·░▒▓█"[shade] for shade in line) for line in shades)
    return [f"{word:>7} |{line}|" for word, line in zip(words[first:], lines, strict=True)]


state = torch.tensor(
    [
        [restore_state(layer, position) - corrupted for layer in range(LAYERS)]
        for position in range(first, len(tokens))
    ]
)
drawn(state)

# %% [markdown]
# 一行一个词，从左到右是从底到顶。两段亮：先是 Korea，后是末词 of，中间交接。最右下角那一格按构造就等于总效应，不是发现：

# %%
total = chance(clean[-1]) - corrupted
assert abs(float(state[-1, -1]) - total) < 1e-4
handover = int((state[-1] > state[:2].max(dim=0).values).int().argmax())
assert 20 <= handover <= 24
handover

# %% [markdown]
# ## 只换 FFN，或只换 attention {#windows}
#
# 隐状态里什么都有。想知道是谁写进去的，就只换一个子层的输出。一层的太小，所以连着换六层，窗口居中在 `layer`。本站的 `trace_site` 做的就是这个；用 `site="hidden"` 时，它该和上面的循环一格不差。

# %%
asked = (model, tokens, (first, behind), seoul, noise)
_, left, restored = trace_site(*asked, site="hidden")
fast = torch.from_numpy(restored - left[:, None, None]).mean(dim=0).T
assert torch.allclose(fast, state, atol=1e-4)

maps = {}
for site in ("ffn", "attention"):
    _, left, restored = trace_site(*asked, site=site, window=6)
    maps[site] = torch.from_numpy(restored - left[:, None, None]).mean(dim=0).T

drawn(maps["ffn"])

# %%
drawn(maps["attention"])

# %% [markdown]
# 前一张是 FFN，后一张是 attention。分工一目了然：主语上亮的是 FFN，末词上亮的是 attention。

# %%
assert maps["ffn"][:2].max() > 5 * maps["attention"][:2].max()
assert maps["attention"][-1].max() > 5 * maps["ffn"][-1].max()

# %% [markdown]
# ## 一个陷阱：窗口里有没有最底层 {#bottom}
#
# FFN 那张图只亮在最左边几格，那几格的窗口都含着最底层。把最底层排除在外，再跑一遍：

# %%
_, left, restored = trace_site(*asked, site="ffn", window=6, lowest=1)
upper = torch.from_numpy(restored - left[:, None, None]).mean(dim=0).T
assert upper[:2].max() < maps["ffn"][:2].max() / 4
drawn(upper)

# %% [markdown]
# 灭了。最底层的 FFN 读到的差不多只是 Korea 这个词，换回它，换回来的多半是名字，不是首都在哪。亮，说明水从这里过；它没有说水源在这里。
#
# ## 自己改改看 {#try-it}
#
# - 主语换成 Germany，答案换成 Berlin，排除最底层之后还全灭吗？
# - 把噪声的倍数改小、改大，交接的那一层变不变？
# - 把 `window=6` 改成 `window=1`、`window=10`，attention 在末词上还剩多少？
