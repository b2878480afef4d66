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
# # 从零写 FFN 与 SwiGLU {#ffn-from-scratch}
#
# 这一本只用矩阵乘法和逐个数的函数，把两种 FFN 各写一遍，再拿 PyTorch 的模块来对答案。每一格里的 `assert` 都会真的执行，有一个不成立，这一页就发布不出来。
#
# 顺着往下走：手写 ReLU 版；拿一个能心算的输入从头走到尾；手写 SwiGLU 版；验证逐位置；验证循环与一次乘完相等；最后看拿掉激活会怎样。想看为什么这样设计，读[拆开 FFN](../ffn/02-anatomy.md)。

# %%
import torch
from torch import nn
from torch.nn import functional as F

from ffnsite.models.ffn import FFN
from ffnsite.models.gated import GatedFFN

generator = torch.Generator().manual_seed(0)
torch.manual_seed(0)
torch.set_default_dtype(torch.float64)  # 双精度，好把舍入误差和真的错误分开
torch.set_grad_enabled(False)


# %% [markdown]
# ## ReLU 版：三行 {#relu}
#
# $$
# \text{FFN}(x) = W_2\,\text{ReLU}(W_1 x + b_1) + b_2
# $$
#
# 我们把一句话摆成矩阵，一行一个词，所以乘的时候权重在右边，要转置。`clamp(min=0)` 就是 ReLU：负数清掉，正数留着。


# %%
def relu_ffn(x, w1, b1, w2, b2):
    u = x @ w1.T + b1  # 升维：(词, 宽) → (词, 中间宽)
    h = u.clamp(min=0)  # 挑选：形状不变
    return h @ w2.T + b2  # 压回：(词, 中间宽) → (词, 宽)


# %% [markdown]
# 对答案。左边是上面三行，右边是两个 `nn.Linear` 夹一个 `F.relu`；再和本站代码里的 `FFN` 对一次。`nn.Linear` 的权重存成先出后进，正好就是式子里的 $W_1$ 和 $W_2$。

# %%
up, down = nn.Linear(64, 256), nn.Linear(256, 64)
x = torch.randn(10, 64, generator=generator)
ours = relu_ffn(x, up.weight, up.bias, down.weight, down.bias)
assert torch.allclose(ours, down(F.relu(up(x))), rtol=0, atol=1e-12)

module = FFN(64, 256)
module.up, module.down = up, down
assert torch.allclose(ours, module(x), rtol=0, atol=1e-12)
ours.shape

# %% [markdown]
# ## 一个能心算的输入 {#by-hand}
#
# 四个单元的 FFN，权重全是小整数。两个词：A 是 ([2](fact:dataflow.a_x_1), [−1](fact:dataflow.a_x_2))，B 是 ([−1](fact:dataflow.b_x_1), [3](fact:dataflow.b_x_2))。先自己在纸上算，再往下看。

# %%
w1 = torch.tensor([[1.0, 0], [0, 1], [-1, 1], [1, -2]])
b1 = torch.tensor([0.0, -1, 0, 1])
w2 = torch.tensor([[1.0, 0, 1, -1], [1, -1, 0, 1]])
b2 = torch.tensor([1.0, 0])
words = torch.tensor([[2.0, -1], [-1, 3]])

u = words @ w1.T + b1
u.int()

# %% [markdown]
# 上面两行就是升维的结果，一行一个词。词 A 的四个问题得分 [2](fact:dataflow.a_up_1)、[−2](fact:dataflow.a_up_2)、[−3](fact:dataflow.a_up_3)、[5](fact:dataflow.a_up_4)；词 B 得 [−1](fact:dataflow.b_up_1)、[2](fact:dataflow.b_up_2)、[4](fact:dataflow.b_up_3)、[−6](fact:dataflow.b_up_4)。接着挑选：

# %%
h = u.clamp(min=0)
h.int()

# %% [markdown]
# A 留下首尾两个单元，B 留下中间两个。最后压回，并加回残差流：

# %%
y = h @ w2.T + b2
assert torch.equal(y, relu_ffn(words, w1, b1, w2, b2))
(words + y).int()

# %% [markdown]
# 词 A 变成 ([0](fact:dataflow.a_stream_1), [6](fact:dataflow.a_stream_2))，词 B 变成 ([4](fact:dataflow.b_stream_1), [1](fact:dataflow.b_stream_2))。和纸上的一样吗？
#
# 压回还可以换个角度看：它是 $W_2$ 各列的加权和，权重是挑选之后的数。写成循环，一列一列地加：

# %%
piled = b2.repeat(2, 1)
for unit in range(4):
    piled += h[:, unit, None] * w2[:, unit]
assert torch.equal(piled, y)

# %% [markdown]
# ## SwiGLU 版：四行 {#swiglu}
#
# $$
# \text{FFN}(x) = W_d \big( \text{Swish}(W_g x) \odot W_u x \big)
# $$
#
# 升维做两份。一份过 Swish 当闸门，一份原样当内容，逐个数相乘。没有偏置。


# %%
def swish(z):
    return z / (1 + torch.exp(-z))


def swiglu(x, gate, up, down):
    opened = swish(x @ gate.T)  # 闸门
    content = x @ up.T  # 内容
    return (opened * content) @ down.T


gated = GatedFFN(64, 176)  # 本站代码里的门控 FFN，默认就是 SwiGLU
weights = gated.gate.weight, gated.up.weight, gated.down.weight
assert torch.allclose(swiglu(x, *weights), gated(x), rtol=0, atol=1e-12)

# %% [markdown]
# 名字叫闸门，取值却不限于从关到开。向右没有上限，向左会略微变负，到底部再慢慢爬回来：

# %%
z = torch.linspace(-20, 20, 4001)
opened = swish(z)
assert torch.allclose(opened, F.silu(z))
assert opened.max() > 1
assert -0.3 < opened.min() < 0
lowest = z[opened.argmin()]
assert -1.3 < lowest < -1.2

# %% [markdown]
# ## 逐位置：改一个词，别处不动 {#positionwise}
#
# 只换第三个词，看两种 FFN 的输出在哪些位置变了。比的是「一个比特都不差」，不是「差得很小」：两次的形状一样，没动过的位置做的是一模一样的算术。

# %%
changed = x.clone()
changed[2] = torch.randn(64, generator=generator)

for layer in (module, gated):
    moved = (layer(changed) != layer(x)).any(dim=1)
    assert moved.nonzero().flatten().tolist() == [2]

# %% [markdown]
# 再拿一层 attention 做对照。没有掩码，处处都变；有因果掩码，只有它自己和后面的变。

# %%
attention = nn.MultiheadAttention(64, 4, bias=False)
causal = torch.ones(10, 10, dtype=torch.bool).triu(diagonal=1)


def attended(x, mask):
    return attention(x, x, x, attn_mask=mask, need_weights=False)[0]


everywhere = (attended(changed, None) != attended(x, None)).any(dim=1)
later = (attended(changed, causal) != attended(x, causal)).any(dim=1)
assert everywhere.all()
assert later.nonzero().flatten().tolist() == [2, 3, 4, 5, 6, 7, 8, 9]

# %% [markdown]
# 真的模型也是这样。在 SmolLM2-135M 第 [10](fact:positionwise.layer) 层把一句话里的 cat 换成 dog，[10](fact:positionwise.words) 个位置里，因果 attention 变了 [9](fact:positionwise.causal_moved) 个，FFN 只变了 [1](fact:positionwise.ffn_moved) 个。
#
# ## 循环与一次乘完 {#one-product}
#
# 逐词调用，和把所有的词并成一个矩阵调用，结果应当相同。随机的实数有舍入，所以留一点余量；换成小整数，就可以要求一个数也不差。

# %%
looped = torch.stack([module(word) for word in x])
assert torch.allclose(looped, module(x), rtol=0, atol=1e-12)

whole = torch.randint(-2, 3, (100, 2), generator=generator).double()
looped = torch.stack([relu_ffn(word[None], w1, b1, w2, b2)[0] for word in whole])
assert torch.equal(looped, relu_ffn(whole, w1, b1, w2, b2))

# %% [markdown]
# 把层放大到宽 [64](fact:dataflow.width)、中间宽 [256](fact:dataflow.hidden_width)，[100](fact:dataflow.words) 个词、[6400](fact:dataflow.outputs) 个输出数，不同的仍是 [0](fact:dataflow.unequal) 个。
#
# ## 拿掉挑选会怎样 {#without}
#
# 最后一个实验。去掉 ReLU，两个矩阵就能先合成一个；中间再宽，也只是一次 $d \times d$ 的线性变换。

# %%
w_up, w_down = (
    torch.randint(-2, 3, shape, generator=generator).double() for shape in ((24, 6), (6, 24))
)
inputs = torch.randint(-2, 3, (50, 6), generator=generator).double()

two_steps = (inputs @ w_up.T) @ w_down.T
one_step = inputs @ (w_down @ w_up).T
assert torch.equal(two_steps, one_step)

with_relu = (inputs @ w_up.T).clamp(min=0) @ w_down.T
assert not torch.equal(with_relu, one_step)
assert torch.linalg.matrix_rank(inputs @ w_up.T) == 6
assert torch.linalg.matrix_rank((inputs @ w_up.T).clamp(min=0)) == 24

# %% [markdown]
# 末两行是秩：没有 ReLU，中间的向量只张成输入那么多维；有了 ReLU，中间的宽度全张满了。非线性和宽度是两件事，这里先看到前一件。
#
# ## 自己改改看 {#try-it}
#
# - 把 `clamp(min=0)` 换成 `F.gelu`，心算的例子里哪些数会变？
# - 把 SwiGLU 的 `swish` 挪到内容那一份上，再把两个矩阵对调，输出变不变？
# - 把逐位置那一格的层换成 `nn.LayerNorm(64)`，再换成 `nn.Conv1d`，谁会牵连旁边的词？
