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
# # 改写一条事实 {#edit-a-fact}
#
# 让 SmolLM2-135M 相信卢浮宫在罗马：只动一层 FFN 的一个矩阵，动完还要看别处有没有跟着坏。做法是 ROME（Meng 等人 2022 年），道理见[知识存在 FFN 里吗](../ffn/08-knowledge.md#editing)。分三步：找 key，找 value，把这一对写进矩阵。每一格里的 `assert` 都会真的执行。

# %%
import torch

from ffnsite.experiments import corpus
from ffnsite.experiments.edit_key import contexts, moment, subject_key
from ffnsite.experiments.edit_value import halfway, surprise
from ffnsite.experiments.editing import rewritten
from ffnsite.models import smollm2

torch.set_num_threads(1)  # 句子短，一个线程更快
model, tokenizer = smollm2.model(), smollm2.tokenizer()
LAYER = 3
down = model.blocks[LAYER].ffn.down
PROMPT = "The Louvre is located in the city of"
paris, rome = (tokenizer.encode(word).ids[0] for word in (" Paris", " Rome"))


@torch.no_grad()
def chances(prompt):
    """下一个词是 Paris、是 Rome 的概率。"""
    logits = model(torch.tensor([tokenizer.encode(prompt).ids]))[0, -1]
    return [round(float(logits.softmax(-1)[word]), 3) for word in (paris, rome)]


before = chances(PROMPT)
assert before[0] > 0.8 > 0.01 > before[1]
before

# %% [markdown]
# ## 找 key：谁在说卢浮宫 {#key}
#
# key 是 $W_{\text{down}}$ 读到的那个向量，$k = \text{Swish}(W_{\text{gate}}x) \odot W_{\text{up}}x$，取主语末词那个位置。主语前面的话不同，它就不同，所以在前面垫上几句不相干的话，各读一次，取平均。

# %%
asked = contexts(tokenizer, PROMPT, "Louvre")
[tokenizer.decode(text) for batch in asked.batches for text in batch.tolist()]

# %%
key = subject_key(model, LAYER, asked)
value = down.weight @ key
key.shape, value.shape

# %% [markdown]
# ## 找 value：FFN 该说什么 {#value}
#
# `halfway` 把每句话跑到这一层，停在 FFN 的输出之前；`surprise` 把主语末词那里的输出换成 $z$，跑完上面各层，给出 $-\log P(\text{Rome})$ 的平均。沿着它的梯度改 $z$，直到模型几乎肯定会说 Rome。正式的实验里损失还有两项，一项拉住「卢浮宫是什么」，一项不许 $z$ 走太远；这里只留最后一项的意思：够好了就停。

# %%
texts = halfway(model, LAYER, asked)
offset = torch.zeros_like(value, requires_grad=True)
adam = torch.optim.Adam([offset], lr=0.04 * float(value.norm()))
losses = []
for _ in range(20):
    adam.zero_grad()
    loss = surprise(model, texts, rome, value + offset)
    losses.append(round(loss.item(), 2))
    if losses[-1] < 0.05:
        break
    loss.backward()
    adam.step()
wanted = value + offset.detach()
assert losses[-1] < 0.05 < losses[0]
losses

# %% [markdown]
# ## 写进矩阵 {#rank-one}
#
# 现在要一个新矩阵 $W'$，满足 $W'k = v_*$，又尽量不动别的 key 的结果。「别的 key」由真实文本代表：二阶矩 $C$ 是 $kk^\top$ 在许多词元上的平均。答案是一次秩一的改动：
#
# $$
# W' = W + (v_* - Wk)\,\frac{(C^{-1}k)^\top}{k^\top C^{-1} k}
# $$

# %%
second_moment = moment(model, LAYER, corpus.rows("networkx", 20, 128))
across = torch.linalg.solve(second_moment, key.double())
step = torch.outer((wanted - value).double(), across / (key.double() @ across)).float()
changed = down.weight + step

assert torch.allclose(changed @ key, wanted, rtol=0, atol=1e-2)
assert torch.linalg.matrix_rank(step, rtol=1e-4) == 1
assert (step.abs().sum(dim=1) > 0).all()  # 每一行都动了，不是只动一个神经元

# %% [markdown]
# 再验一件事：与 $C^{-1}k$ 垂直的 key，结果一点不变。这就是「别处不动」的准确意思：不动的是这些方向，不是所有的事。

# %%
other = torch.randn(len(key), dtype=torch.float64, generator=torch.Generator().manual_seed(0))
other -= (other @ across) / (across @ across) * across
assert torch.allclose(
    step.double() @ other, torch.zeros(len(wanted), dtype=torch.float64), atol=1e-4
)

# %% [markdown]
# ## 看结果 {#result}
#
# `rewritten` 只在 `with` 里面换上新矩阵，出来就换回去。问四句：原句、换个问法、两个邻居。

# %%
questions = [
    PROMPT,
    "The Louvre can be found in the city of",
    "The Eiffel Tower is located in the city of",
    "The capital of France is the city of",
]
with rewritten(down, changed):
    after = [chances(question) for question in questions]
for question in range(2):
    assert after[question][1] > 0.5 > after[question][0]
for question in (2, 3):
    assert after[question][0] > after[question][1]
dict(zip(questions, after, strict=True))

# %% [markdown]
# 原句和换了问法的都改口说 Rome，铁塔和法国首都还在 Paris。最后确认模型真的复原了：

# %%
assert chances(PROMPT) == before

# %% [markdown]
# ## 自己改改看 {#try-it}
#
# - 把 `LAYER` 换到第 24 层再跑一遍。原句照样改得成，铁塔呢？最后几个 `assert` 会告诉你。
# - 把 $C$ 换成单位矩阵，邻居伤得更重还是更轻？
# - 问改完的模型 The Louvre is a museum in the country of，它会说意大利吗？改掉一句话，不等于改掉由它推出来的事。
