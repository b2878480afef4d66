"""Numerals that claim nothing: the closed table of classes, each a named pattern with its reason.

A class excuses a numeral only when it covers the whole of it, with multiplier and ratio word.
The report counts what each class excused, so no exemption is silent. Rule book: section 5.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ffnsite.errors import BadSettings
from ffnsite.prose.numerals import DIGITS, HAN

# --- words that turn the number before them into a count or a share: then it is no label ---------
_COUNTS = (
    r"(?:[个种次张幅倍项步篇份件名人年天秒字%％‰万亿]|层(?!次)|条(?!形)|维(?!度)|参数|token|epoch|MB|GB|KB|TB|[KMGT]iB"
    r"|毫秒|分钟|小时|ms\b|左右|以上|以下|多)"
)
_NO_COUNT = rf"(?!\s?{_COUNTS})(?![.,/]?[0-9])"
_INTEGER = rf"[{DIGITS}]++"
_NUMBERING = r"[0-9]++(?:[.-][0-9]++)*+[a-zA-Z]?(?![A-Za-z])"
_AND = r"\s?(?:[、,/~～–—-]|和|与|及|到|至|以及)\s?"
_CHINESE_NUMBER = r"[零〇一二两三四五六七八九十百]++"

# --- name -----------------------------------------------------------------------------------------
_SIZE = r"[0-9]++(?:\.[0-9]++)?[BMT](?![A-Za-z0-9])(?!\s?(?:个|参数))"
_FAMILIES = (
    "GPT|Llama|LLaMA|LLAMA|OPT|PaLM|BLOOM|BERT|RoBERTa|DeBERTa|ALBERT|Mistral|Mixtral|Qwen|Gemma|Gemini|Claude|Phi|"
    "Pythia|SmolLM2?|DeepSeek|Falcon|MPT|GLM|ChatGLM|Baichuan|InternLM|Switch|ViT|ResNet|Chinchilla|Gopher|OLMo|Mamba|Yi"
)
# The rest of a Latin word: digits glued or hyphened on, 2/3 inside it, parts after a dot or an at sign.
_WORD_TAIL = r"[A-Za-z0-9_]*+(?:(?:[-‑@.](?=[A-Za-z0-9])|(?<=[0-9])/(?=[0-9]))[A-Za-z0-9_]++)*+"
_NAME = "|".join(
    (
        # A family with generation and size: Llama 2 70B, GPT-3 175B, T5 11B; the size of "BERT 有 110M" is a claim.
        rf"(?<![A-Za-z0-9])(?:{_FAMILIES}|T5){_WORD_TAIL}(?:\s[1-9](?:\.[0-9]|/[1-9])?{_NO_COUNT}(?![A-Za-z×%]))?(?:\s{_SIZE})?",
        r"(?<![0-9.])[0-9]++[×x][0-9]++(?:\.[0-9]++)?B(?![A-Za-z0-9])",  # mixture of experts: 8×7B
        r"(?<![0-9.])[0-9]++-(?:bit|shot|gram|way|hop|layer)s?\b",  # a kind of thing: 4-bit, 5-shot
        r"(?<![0-9A-Za-z.])[1-4]D(?![A-Za-z0-9])",
        r"(?<![A-Za-z])(?:RTX|GTX|Quadro|Radeon|Xeon|EPYC|Ryzen|Core)\s(?:[0-9]\s)?[0-9]{3,4}[A-Z]{0,2}(?![0-9A-Za-z])",
        r"(?<![A-Za-z])(?:ISO|RFC|IEEE|PEP|GB/T|IEC)[\s-]?[0-9]++(?:-[0-9]++)*+",
        r"(?<![A-Za-z])C\+\+[0-9]{2}",
        # A Latin word with digits glued or hyphened on: H100, top-25, bf16, Qwen2.5-0.5B, Llama-2/3-70B, llama3_8b.
        rf"(?<![0-9A-Za-z_.])[A-Za-z]{_WORD_TAIL}",
    )
)

# --- version --------------------------------------------------------------------------------------
_SOFTWARE = (
    "Python|torch|PyTorch|CUDA|cuDNN|[Nn]um[Pp]y|SciPy|pandas|[Mm]k[Dd]ocs|[Mm]kdocs-material|Material|[Pp]lotly|jieba|Markdown|"
    "Linux|Ubuntu|Debian|macOS|Windows|Android|iOS|Chrome|Chromium|Firefox|Safari|Node(?:\\.js)?|npm|pip|JAX|TensorFlow|Keras|"
    "[Tt]ransformers|tokenizers|safetensors|Triton|vLLM|GGUF|ONNX|OpenMP|MKL|GCC|gcc|clang|LLVM|glibc|CMake|Docker|Go|Rust|Java|"
    "Julia|Zensical|ProperDocs|click|git|SMT-LIB|HTML|HTTP|CSS|WCAG|OpenGL|PCIe|USB|Apache|GPL|MIT|CC BY(?:-SA)?"
)
_DOTTED = r"[0-9]++(?:\.(?:[0-9]++|x))*+"
_VERSION = "|".join(
    (
        rf"(?<![A-Za-z0-9.])[vV]{_DOTTED}(?:[-.+]?(?:rc|alpha|beta|dev|post|a|b)[0-9]*+)?(?![A-Za-z0-9])",
        r"(?<![0-9.])[0-9]++\.[0-9]++\.[0-9]++(?:\.[0-9]++)*+(?:[-.+]?(?:rc|alpha|beta|dev|post|a|b)[0-9]*+)?",
        rf"(?<![A-Za-z])(?:{_SOFTWARE})[\s-](?:[=><~≥≤]=?\s?)?{_DOTTED}\+?{_NO_COUNT}",
        rf"(?<![0-9.]){_DOTTED}\s?(?:版本|版(?![权面图])|\.x)",
        rf"版本号?(?:为|是|：|:)?\s?{_DOTTED}{_NO_COUNT}",
    )
)

# --- date -----------------------------------------------------------------------------------------
_YEAR = r"(?:1[5-9]|20)[0-9]{2}"
_RECENT = r"(?:19[5-9]|20[0-3])[0-9][a-z]?(?![0-9A-Za-z])"
_MONTH = r"(?:1[0-2]|0?[1-9])"
_DATE = "|".join(
    (
        rf"(?<![0-9.]){_YEAR}(?:\s?[、–—~～到至和/-]\s?{_YEAR}){{0,20}}+\s?(?:年|学年|财年)",
        rf"(?<![0-9.]){_YEAR}([-/.])(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12][0-9]|3[01])(?![0-9])",
        rf"(?<![0-9.]){_YEAR}[-/](?:0[1-9]|1[0-2])(?![0-9/-])",
        rf"(?<![0-9.]){_MONTH}(?:\s?[–~～到至-]\s?{_MONTH})?\s?月(?:\s?[0-9]{{1,2}}(?:\s?[–~～到至-]\s?[0-9]{{1,2}})?\s?[日号])?",
        rf"(?<![0-9.])(?:[12][0-9]|3[01]|[1-9])\s?日(?![志元光])",
        r"[〇零一二三四五六七八九]{4}年|[一二三四五六七八九]十年代|[二]?十[一二三四五六七八九]?世纪",
        r"(?:十[一二]?|[一二三四五六七八九])月(?:[一二三四五六七八九十]{1,3}[日号])?",
        r"(?<![0-9.])(?:[1-9]0\s?年代|[12]?[0-9]\s?世纪)",
        r"(?<![0-9])[0-9]{1,2}\s(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\b(?:\s(?:19|20)[0-9]{2})?",
        # A citation: Vaswani et al. 2017, Geva 等，2021, NeurIPS 2019 — a capital, a year, and nothing counted behind it.
        rf"(?<![A-Za-z'’-])(?:arXiv|[A-Z][A-Za-z\u00c0-\u024f'’-]*+)(?:\s(?:et\sal\.?|and\s[A-Z][A-Za-z-]*+|&\s[A-Z][A-Za-z-]*+))?(?:\s?等人?)?[,，.]?\s?{_RECENT}(?:\s?[,，、]\s?{_RECENT}){{0,20}}+{_NO_COUNT}",
        rf"[（(]\s?{_RECENT}(?:\s?[,，;；、–-]\s?{_RECENT}){{0,20}}+\s?[)）]",
        rf"等人?[,，]?\s?{_RECENT}{_NO_COUNT}",
        rf"(?<=,\s){_RECENT}(?=[.。)）;；]|\s*+$)",  # the year that ends an entry of a bibliography
        r"(?<![0-9:])[0-2]?[0-9]:[0-5][0-9]:[0-5][0-9](?![0-9:])",
        r"(?:上午|下午|晚上|凌晨|中午)\s?[0-9]{1,2}(?::[0-5][0-9])?(?:\s?[点时])?",
        r"(?:星期|礼拜|(?<!每)周)[一二三四五六](?![个周])",
    )
)

# --- reference ------------------------------------------------------------------------------------
_PARTS = r"(?:章|节|小节|页|篇|条|款|段|讲|卷|册|期|版|幅|张图|部分|附录)"
_ORDINAL = rf"第\s?(?:[-−]?{_INTEGER}(?:\.[0-9]++)*+|{_CHINESE_NUMBER}|几)"
_ORDINALS = rf"{_ORDINAL}(?:{_AND}(?:第\s?)?(?:{_INTEGER}|{_CHINESE_NUMBER})){{0,20}}+"
_LABEL = rf"[（(]?\s?(?:[A-Z]\.?)?{_NUMBERING}\s?[)）]?"
_REFERENCE = "|".join(
    (
        rf"{_ORDINALS}\s?{_PARTS}",
        rf"(?:(?<![试企意贪])图|(?<![代列发外仪手词年电钟])表|公式|等式|方程|附录|脚注|尾注|算法|定理|引理|命题|推论|例题|习题|练习|清单|代码)"
        rf"\s?{_LABEL}(?:{_AND}(?:图|表)?\s?{_LABEL}){{0,20}}+{_NO_COUNT}",
        rf"(?<![{HAN}])式\s?{_LABEL}|(?<=[见由把将如与和按用从入到即是在及])式\s?{_LABEL}|(?<![{HAN}]式)[（(]式\s?{_LABEL}",
        r"(?:(?<![试企意贪])图|(?<![代列发外仪手词年电钟])表|附录|算法|定理|引理|公式|练习|习题)[一二三四五六七八九十]{1,3}(?![个种张项条次层倍成步])",
        r"附录\s?[A-Z]\.[0-9]++(?:\.[0-9]++)*+",
        r"(?<![0-9.])0[0-9]\s?章|(?<![0-9.])[0-9]{1,2}(?:\.[0-9]{1,2})++\s?小?节",
        rf"(?:见|参看|参考|详见|回到|上接)\s?{_NUMBERING}(?:{_AND}{_NUMBERING}){{0,20}}+\s?[章节页]",
        rf"§+\s?(?:[A-Z]\.?)?{_NUMBERING}(?:{_AND}(?:§\s?)?{_NUMBERING}){{0,20}}+",
        r"(?:PR|[Ii]ssue|MR)?\s?#[0-9]++",
        r"(?<![A-Za-z])(?:Tables?|Tab\.|Figures?|Figs?\.?|Eqs?\.?|Equations?|Sections?|Secs?\.?|Chapters?|Ch\.|Appendix|App\.|Algorithm|Theorem|Lemma|"
        r"Proposition|[Pp]ages?|pp?\.|[Vv]ol\.|[Nn]o\.|[Nn]otes?|[Rr]efs?|fn|Listing|[Pp]art|[Ii]ssue|PR|tables?|figures?|sections?|chapters?|lines?)"
        rf"\s?{_LABEL}(?:{_AND}{_LABEL}){{0,20}}+{_NO_COUNT}",
        r"\[[1-9][0-9]{0,2}\]|【[1-9][0-9]{0,2}】",
    )
)

# --- index ----------------------------------------------------------------------------------------
_LABELLED_BY_NUMBER = (
    r"位置|下标|索引|编号|序号|步骤|情形|情况|方案|实验|问题|示例|样例|案例|路线|选项|神经元|节点|通道|样本|特征|种子|随机种子|"
    r"[Pp]osition|[Pp]os|[Ss]eed|[Nn]euron|[Uu]nit|[Cc]hannel|[Ff]eature|[Ss]tep|[Cc]ase|ID|id"
)
_LAYER_LIKE = r"(?<![每各这那一两几多])(?:层|头|专家|块)|(?<![A-Za-z])(?:[Ll]ayers?|[Hh]eads?|[Ee]xperts?|[Bb]locks?|[Tt]oken)"
_ONE_LABEL = r"[0-9]++(?![.,/]?[0-9])"
_INDEX = "|".join(
    (
        _ORDINALS + "(?:天|秒|分钟|小时|字节|比特|米|度)?",
        rf"(?:{_LABELLED_BY_NUMBER})\s?{_ONE_LABEL}(?:{_AND}{_ONE_LABEL}){{0,20}}+{_NO_COUNT}(?!\s?[BKMT]\b)",
        rf"(?:{_LAYER_LIKE})\s?[0-9]{{1,3}}+(?![.,/]?[0-9])(?:{_AND}{_ONE_LABEL}){{0,20}}+{_NO_COUNT}(?!\s?[BKMT]\b)",
        r"(?<![A-Za-z0-9_.])[bdhijklmnpquvwxyzBKLNUVWXYZ][0-9]{1,2}(?![A-Za-z0-9_.×-])",
        r"(?<![A-Za-z0-9])[A-Za-z]+_\{?[0-9]++\}?(?![A-Za-z0-9])",
        # t+1, n−1: the neighbour of an index, not an amount.
        r"(?<![A-Za-z0-9_])[A-Za-z]\s?[+＋−-]\s?[0-9]{1,2}(?![0-9.%A-Za-z])",
        r"(?<![0-9.])[0-9]++\s?σ|(?<![0-9.])[0-9]-sigma",
        r"[₀-₉]+|(?<![0-9.,])[0-9]++(?:st|nd|rd|th)\b",
        r"(?<![0-9.])[0-9]{1,5}\s?号(?![称召])|[一二三四五六七八九十]号",
        r"从\s?[01]\s?(?:开始|起|数起|编号|算起|计)",
    )
)

# --- list -----------------------------------------------------------------------------------------
_TEN = "一二三四五六七八九十"
_LIST = "|".join(
    (
        rf"(?m:^)[ \t]*+(?:[0-9]{{1,2}}+(?:[.．、)）](?![0-9])|(?=\s*+$))|[{_TEN}]{{1,3}}[、.．]|[（(](?:[0-9]{{1,2}}|[{_TEN}]{{1,3}})[)）])",
        rf"(?<=[，。；：、,;:\s])[（(](?:[0-9]{{1,2}}|[{_TEN}]{{1,3}})[)）](?=\s?[{HAN}A-Za-z])",
        r"(?<=[，。；：])\s?[0-9]{1,2}[)）](?=\s?[一-鿿])",
        rf"(?m:^)[ \t]*+[{HAN}]{{1,4}}\s?[0-9]{{1,2}}\s?[：:](?![0-9])",  # 坑 1：
        rf"(?<=[{HAN}])(?<![于为是到成约达即])[{_TEN}]{{1,2}}(?=[：:])",  # 误解二：
        r"[①-⑳⑴-⒇]",
        rf"(?:(?<=[，。；：、\s])|(?m:^))[{_TEN}][是来则](?=[{HAN}，])",
    )
)

# --- identifier -----------------------------------------------------------------------------------
_IDENTIFIER = "|".join(
    (
        r"(?:https?://|www\.)[^\s，。；、）)\]】》\u3000]+",
        r"(?<![0-9A-Za-z])10\.[0-9]{4,9}/[^\s，。；、）)\]】]+",
        r"(?<![A-Za-z0-9._+-])[A-Za-z0-9._+-]++@[A-Za-z0-9-]++(?:\.[A-Za-z0-9-]++)++",
        r"(?:(?<![A-Za-z])[Aa]r[Xx]iv:?\s?)?(?<![0-9.])[0-9]{2}(?:0[1-9]|1[0-2])\.[0-9]{4,5}(?:v[0-9]+)?(?!\.?[0-9])(?!\s?[%％‰万亿倍])",
        r"ISBN(?:-1[03])?:?\s?[0-9][0-9Xx-]++",
        r"(?<![A-Za-z0-9_.])[a-z]++(?:19|20)[0-9]{2}[a-z]?(?:\.[a-z0-9_]++)*+(?![A-Za-z0-9])",  # shazeer2020
        r"(?<![A-Za-z0-9])(?=[0-9a-f]{0,40}[a-f])(?=[a-f]{0,40}[0-9])[0-9a-f]{7,64}(?![A-Za-z0-9])",  # a commit
        r"(?<![A-Za-z0-9])0x[0-9A-Fa-f]++",
    )
)

# --- shape ----------------------------------------------------------------------------------------
_EXTENT = rf"(?:[0-9]++[A-Za-z]?|[A-Za-z][A-Za-z0-9_]*+|[{HAN}]{{1,6}}+)"
_SYMBOL = r"[0-9]*[A-Za-z](?:_[A-Za-z0-9]++)?"
_NEXT_EXTENT = r"(?:\s?,\s|,(?![0-9]{3}(?![0-9])))"  # (65,536) is one number, (65, 536) are two sizes
_NO_PRODUCT = rf"(?![0-9A-Za-z.^⁰¹²³⁴-⁹⁻])(?!\s?[=＝≈×]){_NO_COUNT}"
_SHAPE = "|".join(
    (
        rf"(?<![A-Za-z0-9])[(\[（]\s?{_EXTENT}(?:{_NEXT_EXTENT}{_EXTENT})++,?\s?[)\]）]",
        rf"(?<![0-9.A-Za-z×=＝≈])(?<![=＝≈×]\s)[0-9]++(?:\s?[×x]\s?[0-9]++)++{_NO_PRODUCT}",
        # d×4d is a shape; 3×d×d is a product whose factor claims something.
        rf"(?<![0-9.A-Za-z×=＝≈])(?<![=＝≈×]\s){_SYMBOL}(?:\s?[×x]\s?(?:{_SYMBOL}|[0-9]++))++{_NO_PRODUCT}",
    )
)

# --- small_count ----------------------------------------------------------------------------------
_SMALL = r"(?:一[二两]|[二两]三|三[四五]|四五|五六|六七|七八|八九|[一二两三四五六七八九十几])"
_UNITS = r"(?:ms|us|µs|ns|s|min|h|nats?|bits?|pp|[KMGT]?i?B|[KMGTPE]?FLOPS?s?|FLOP)\b"
_MEASURE = (
    r"(?:个(?!\s?(?:百分点|数量级|量级|半|小时|钟头|多|字节|比特))|[条件种次步层维篇行列章节页段句字词张幅份位名人只头块片组批轮遍趟回项类部门间座台架辆本册卷首支枝根颗粒滴把对双套堆群串排"
    r"队道路处面点边端侧角级阶代版期届场局例则款笔家户口栋栏格环圈股束重年月周世岁日者方元域值数式图表环声手样码所国声员伙团套刻杯线问跳招课讲幕眼餐档番派桩棵餐波匹尊盏盒盘碗袋封堂幢扇曲杆株箱腔茬锭集帖帧帐勺顿]"
    r"|矩阵|模型|专家|神经元|向量|参数|权重|方法|变体|公式|大类|大块|大部分|小块|小步|小段|整块|系列|分支|子层|通道)"
)
_SMALL_COUNT = "|".join(
    (
        rf"{_SMALL}(?=\s?{_MEASURE}(?!半|多|余))",
        rf"{_SMALL}(?=\s?[A-Za-z\ufffc])(?!\s?{_UNITS})",
    )
)

# --- idiom ----------------------------------------------------------------------------------------
_IDIOM = "|".join(
    (
        r"(?<=[有每哪某同这那前后])一(?:天|秒|分钟|小时|度)",
        r"一(?=次性|种|样|般|方面|边(?!形)|时|番|面|点|些|下|起|头雾水|层层|步步|块儿|行人|路|生|世|口气|目了然|道(?!题|工序)|向|气|手|样|身|代|同|环扣)",
        rf"一(?!\s?{_MEASURE})(?=[{HAN}])",  # before a word 一 is an article (一看, 一行); ratios and units belong to the run itself
        r"(?<=[选挑])[一二两三]|[一二两三四五六七八九十](?=选[一二两三])",
        r"(?<=[统唯之逐同单其归合任每另某这那专不如初划首])一",
        r"[其之][一二三四五六七八九](?![倍成])",
        r"(?:[上下前后左右对各东西南北多小]|居)半(?!数)|半(?=[夜天年月年导精衰径边截部段句路途轴球圈角透自监结随正负闭开轮身价空球])",
        rf"半(?=[{HAN}\s]?)",
        r"十(?:分(?![之钟])|足|字|全|有八九|之八九)",
        r"万(?:一|能|物|分(?!之)|万|般|事|岁|有引力|无一失|不得已|花筒|变|维网|家|恶|众)",
        r"(?<=[十百千亿])万(?=别|要)|千万(?=[别不要莫注记小])|[百千](?=科|姓|叶|兆|瓦|米|克|卡|赫|字节|斤)|百分(?:比|点|号|数|位|制|率)|千分(?:位|号|尺)",
        r"亿万|千变万化|千差万别|千篇一律|千丝万缕|千万别|万千|三言两语|四舍五入|七上八下|五花八门|四面八方|乱七八糟|三三两两|两三下|举一反三|接二连三|三番五次",
        r"两两|一一|零零",
        r"两(?=者|难|极|可|侧|旁|岸|边|端|头|翼|相|全|用|两|半|手)|二(?=者|进制|分|元|次|维|值|阶|手|项|重|级|叉|选一|合一)|三(?=者|角|元|维|阶|明治|分法)|八(?=进制)|十(?=进制|六进制)|十六(?=进制)",
        r"零(?=初始|均值|向量|矩阵|样本|空间|散|碎|件|售|点|基础|值|元素|梯度|填充|和博弈|拷贝|成本|开销|偏置|散|部件|头)|(?<=从)零|(?<=[归清置非趋补挂过凋填设堆串])零|(?:设|置|不|初始化|非)(?:为|成)零",
        r"几(?=乎|何|率|经|时)|(?<=[无茶])几",
    )
)


@dataclass(frozen=True, slots=True)
class Exemption:
    """One class of numerals that claim nothing.

    Attributes:
        name: How the class is called in `Loose.exemption` and in reports of machines.
        label: How the report calls it, Chinese.
        reason: One Chinese sentence that says why nothing is claimed.
        pattern: Matches the numeral with as much around it as is needed to know it.
    """

    name: str
    label: str
    reason: str
    pattern: re.Pattern[str]


def _exemption(name: str, label: str, reason: str, pattern: str) -> Exemption:
    return Exemption(name, label, reason, re.compile(pattern))


EXEMPTIONS: tuple[Exemption, ...] = (
    _exemption("identifier", "标识符", "编号、网址、文献号只用来找到东西。", _IDENTIFIER),
    _exemption("date", "日期", "年份和日期说的是何时，不是多少。", _DATE),
    _exemption("version", "版本", "版本号只分先后，不表示大小。", _VERSION),
    _exemption("reference", "引用", "章节、图表、页码指向别处。", _REFERENCE),
    _exemption("list", "列表序号", "列表和标题的序号只排次序。", _LIST),
    _exemption("shape", "形状", "张量的形状由代码和式子给出。", _SHAPE),
    _exemption("index", "下标", "序数和下标说的是哪一个，不是多少个。", _INDEX),
    _exemption("name", "名称", "模型、产品、格式的名字里带数字。", _NAME),
    _exemption("idiom", "词语", "数字是词的一部分，不表示数目。", _IDIOM),
    _exemption("small_count", "小数目", "十以内的汉字数目加量词，读者一眼数得清。", _SMALL_COUNT),
)
"""Every class, in the order in which they are tried; the first that covers a numeral excuses it."""


@dataclass(frozen=True, slots=True)
class Names:
    """The project's own names; `pattern` finds the longest first, None where there are none."""

    pattern: re.Pattern[str] | None


def names_of(names: Iterable[Any]) -> Names:
    """Names of models and products from the site's options, ready to be found in prose.

    A name stands alone: it does not begin or end inside a Latin word or a number.

    Raises:
        BadSettings: an entry is empty or not a text.
    """
    wanted = list(names)
    for position, name in enumerate(wanted, start=1):
        if not isinstance(name, str) or not name.strip():
            raise BadSettings(
                f"选项 names 的第 {position} 项是 {name!r}，应当是非空的文字；请写成模型或产品的名字，如 \"Llama-3-8B\"（要加引号）。"
            )
    if not wanted:
        return Names(None)
    longest_first = sorted({name.strip() for name in wanted}, key=lambda name: (-len(name), name))
    alternatives = "|".join(re.escape(name) for name in longest_first)
    return Names(re.compile(rf"(?<![A-Za-z0-9])(?:{alternatives})(?![A-Za-z0-9])(?![.,][0-9])"))
