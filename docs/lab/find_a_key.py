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
# # 在键值记忆里找一个 key {#find-a-key}
#
# [把 FFN 读成记忆](../ffn/07-memory.md)说，FFN 是一堆记忆之和，每条记忆有 key 和 value。这一本就去 SmolLM2-135M 里找一条：哪条记忆在「下一个词是 as」之前应得特别响？找到之后看它的 value 说什么，换新句子验一验，最后把它关掉，看模型还会不会说 as。每一格里的 `assert` 都会真的执行。

# %%
import torch

from ffnsite.experiments.listening import listen
from ffnsite.models import smollm2

torch.set_grad_enabled(False)
torch.set_num_threads(1)  # 句子短，一个线程更快
model, tokenizer = smollm2.model(), smollm2.tokenizer()
LAYER = 23
ffn = model.blocks[LAYER].ffn

# %% [markdown]
# ## 听一层的系数 {#listen}
#
# 系数是 $\text{Swish}(g_i \cdot x)\,(u_i \cdot x)$，一个词、一条记忆一个数。`listen` 把模型跑一遍，每到一层就把这一层的系数交出来。下面这个函数只留第 23 层的，形状是 (词, 记忆)。


# %%
def coefficients(text):
    tokens, heard = tokenizer.encode(text).ids, {}
    listen(model, torch.tensor([tokens]), heard.__setitem__)
    return tokens, heard[LAYER][0]


tokens, c = coefficients("We grow many vegetables, such as carrots and beans.")
c.shape

# %% [markdown]
# 先核对恒等式：各条记忆按系数相加，就是这一层 FFN 的输出。两种读法差的只有舍入。

# %%
as_product = ffn.down(c)
as_sum = torch.zeros_like(as_product, dtype=torch.float64)
for i in range(c.shape[1]):
    as_sum += c[:, i, None].double() * ffn.down.weight[:, i].double()
assert torch.allclose(as_product.double(), as_sum, rtol=0, atol=1e-3 * float(as_sum.abs().max()))

# %% [markdown]
# ## 找：谁在 as 之前应得最响 {#search}
#
# 几句话，有的含 such as 或 as well as，有的没有。每个词问一句：下一个词是不是 as？是的归一堆，不是的归另一堆，两堆的平均系数差得最多的，就是要找的记忆。每句的首词不算，那里有巨量激活。

# %%
texts = [
    "We grow many vegetables, such as carrots and beans.",
    "She plays the piano as well as the violin.",
    "Animals such as wolves and bears live in these forests.",
    "The bridge carries trains as well as cars.",
    "The old man sat by the window and read a long letter.",
    "When the rain stopped, the children ran out into the garden.",
]
before_as, elsewhere = [], []
for text in texts:
    tokens, c = coefficients(text)
    for at in range(1, len(tokens) - 1):
        pile = before_as if tokenizer.decode([tokens[at + 1]]) == " as" else elsewhere
        pile.append(c[at])

gap = torch.stack(before_as).mean(dim=0) - torch.stack(elsewhere).mean(dim=0)
found = int(gap.abs().argmax())
runner_up = float(gap.abs().topk(2).values[1])
assert abs(float(gap[found])) > 3 * runner_up
found, float(gap[found])

# %% [markdown]
# 第一名是第二名的[三倍以上](plain:上一格的断言)，而且是负的：在 as 之前，它的 value 不是加上去，是减掉。
#
# ## 看：它的 value 说什么 {#value}
#
# 把 value 取反（系数是负的），乘最后那道归一化的增益，再乘词表矩阵，看得分最高的几个词元。

# %%
value = ffn.down.weight[:, found] * gap[found].sign()
logits = model.embedding.weight @ (model.norm.weight * value)
says = [tokenizer.decode([token]) for token in logits.topk(5).indices.tolist()]
assert says[0] == " as"
says

# %% [markdown]
# 我们没有告诉它答案：找的时候只用了 key 这一边的系数，value 这一边自己说出了 as。
#
# ## 验：换没见过的句子 {#check}
#
# 找的时候用过的句子不能拿来验。下面几句是新的，前四句该响，后三句不该。

# %%
should = ["The Danube flows through many countries, such", "Metals such"]
should += ["Our garden has apples as well", "She writes novels as well"]
should_not = ["He left", "The river is deep and cold", "My sister found the keys under"]


def last(text):
    return float(coefficients(text)[1][-1, found])


assert all(last(text) < -5 for text in should)
assert all(abs(last(text)) < 2 for text in should_not)
[round(last(text), 1) for text in should + should_not]

# %% [markdown]
# ## 关：没有它，还说不说 as {#silence}
#
# 前面都是相关。要问模型靠不靠它，就把它的系数改成 $0$，别的一概不动，看下一个词是 as 的概率。再拿隔壁一条做对照。


# %%
def probability_of_as(text, off=None):
    stream = model.embedding(torch.tensor([tokenizer.encode(text).ids]))
    for at, block in enumerate(model.blocks):
        stream = stream + block.attention(block.attention_norm(stream))
        c = block.ffn.hidden(block.ffn_norm(stream))
        if at == LAYER and off is not None:
            c[..., off] = 0
        stream = stream + block.ffn.down(c)
    return float(model.logits(stream)[0, -1].softmax(dim=-1)[tokenizer.encode(" as").ids[0]])


told = []
for text in should:
    clean, off = probability_of_as(text), probability_of_as(text, found)
    neighbour = probability_of_as(text, found + 1)
    assert clean > 0.5
    assert off < clean - 0.2
    assert abs(neighbour - clean) < 0.01
    told.append((text, round(clean, 3), round(off, 3), round(neighbour, 3)))
told  # 句子；原样、关掉这一条、关掉隔壁

# %% [markdown]
# 四句都掉了，有的几乎掉光，有的还剩不少：关掉一条，别处还有别的记忆和 attention 在说 as。所以这条记忆有用，却不是 as 存放的地方。
#
# ## 自己改改看 {#try-it}
#
# - 把 `" as"` 换成 `" of"`，把句子换成含 number of、part of 的，还找得到这么干净的一条吗？
# - 换成 `LAYER = 5`，第一名还甩得开第二名吗？它的 value 说的是什么？
# - 不把系数改成 $0$，改成乘以 $2$，as 的概率会超过干净的时候吗？
