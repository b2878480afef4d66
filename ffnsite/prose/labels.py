"""What numerals look like that name, date, number or point at a thing: one pattern for each class.

Every part says by an example what it knows. Quantifiers are possessive and lists are bounded, so
each pattern runs in time linear in its text. A label followed by something that is counted or
measured is no label: 图 3 is a figure, 图 3 张 are three of them.
"""

from ffnsite.prose.numerals import DIGITS, HAN


def either(*patterns: str) -> str:
    """A pattern that matches where one of these does; the first of them wins."""
    return "|".join(f"(?:{pattern})" for pattern in patterns)


def words(listed: str) -> str:
    """A pattern for each of the words, which are given with spaces between them."""
    return f"(?:{'|'.join(listed.split())})"


TEN = "一二三四五六七八九十"
_COUNTED = words(
    "[个种次张幅倍项步篇份件名人年天秒字%％‰万亿] 层(?!次) 条(?!形) 维(?!度)"
    " 参数 毫秒 分钟 小时 左右 以上 以下 多"
    r" token epoch [KMGT]i?B ms\b"
)
_NO_COUNT = rf"(?!\s?{_COUNTED})(?![.,/]?[0-9])"
_INTEGER = f"[{DIGITS}]++"
_NUMBERING = "[0-9]++(?:[.-][0-9]++)*+[a-zA-Z]?(?![A-Za-z])"  # 3, 3.1, 2-1, 3a
_AND = r"\s?(?:[、,/~～–—-]|和|与|及|到|至|以及)\s?"
_CHINESE_INTEGER = "[零〇一二两三四五六七八九十百]++"
_AT_MOST = "{0,20}+"  # members of a list of labels


def _listed(label: str, prefix: str = "") -> str:
    """One label or several: 图 3、图 4 和 5."""
    return rf"{label}(?:{_AND}(?:{prefix})?\s?{label}){_AT_MOST}"


# --- identifier: what only serves to find a thing ---------------------------------------
_NOT_URL = r"[^\s，。；、）)\]】》]"
IDENTIFIER = either(
    rf"(?:https?://|www\.){_NOT_URL}+",
    rf"(?<![0-9A-Za-z])10\.[0-9]{{4,9}}/{_NOT_URL}+",  # a DOI
    r"(?<![A-Za-z0-9._+-])[A-Za-z0-9._+-]++@[A-Za-z0-9-]++(?:\.[A-Za-z0-9-]++)++",
    # 1706.03762, arXiv:2202.05262v2: year, month, number.
    r"(?:(?<![A-Za-z])[Aa]r[Xx]iv:?\s?)?(?<![0-9.])[0-9]{2}(?:0[1-9]|1[0-2])\.[0-9]{4,5}(?:v[0-9]+)?"
    r"(?!\.?[0-9])(?!\s?[%％‰万亿倍])",
    r"ISBN(?:-1[03])?:?\s?[0-9][0-9Xx-]++",
    r"(?<![A-Za-z0-9_.])[a-z]++(?:19|20)[0-9]{2}[a-z]?(?:\.[a-z0-9_]++)*+(?![A-Za-z0-9])",  # a key
    r"(?<![A-Za-z0-9])(?=[0-9a-f]{0,40}[a-f])(?=[a-f]{0,40}[0-9])[0-9a-f]{7,64}(?![A-Za-z0-9])",
    r"(?<![A-Za-z0-9])0x[0-9A-Fa-f]++",
)

# --- date: when, not how much -----------------------------------------------------------
_YEAR = "(?:1[5-9]|20)[0-9]{2}"
_RECENT = "(?:19[5-9]|20[0-3])[0-9][a-z]?(?![0-9A-Za-z])"
_MONTH = "(?:1[0-2]|0?[1-9])"
_DAYS = r"[0-9]{1,2}(?:\s?[–~～到至-]\s?[0-9]{1,2})?\s?[日号]"
_MONTH_NAMES = words("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec")
_AUTHOR = r"(?<![A-Za-z'’-])(?:arXiv|[A-Z][A-Za-z\u00c0-\u024f'’-]*+)"
_OTHERS = r"(?:\s(?:et\sal\.?|(?:and|&)\s[A-Z][A-Za-z-]*+))?(?:\s?等人?)?"
DATE = either(
    rf"(?<![0-9.]){_YEAR}(?:\s?[、–—~～到至和/-]\s?{_YEAR}){_AT_MOST}\s?(?:年|学年|财年)",
    rf"(?<![0-9.]){_YEAR}(?P<between>[-/.])(?:0[1-9]|1[0-2])(?P=between)(?:0[1-9]|[12][0-9]|3[01])(?![0-9])",
    rf"(?<![0-9.]){_YEAR}[-/](?:0[1-9]|1[0-2])(?![0-9/-])",
    rf"(?<![0-9.]){_MONTH}(?:\s?[–~～到至-]\s?{_MONTH})?\s?月(?:\s?{_DAYS})?",
    r"(?<![0-9.])(?:[12][0-9]|3[01]|[1-9])\s?日(?![志元光])",
    r"公元前?\s?[0-9]++\s?年",
    "[〇零一二三四五六七八九]{4}年|[一二三四五六七八九]十年代|二?十[一二三四五六七八九]?世纪",
    r"(?<![0-9.])(?:[1-9]0\s?年代|[12]?[0-9]\s?世纪)",
    "(?:十[一二]?|[一二三四五六七八九])月(?:[一二三四五六七八九十]{1,3}[日号])?",
    rf"(?<![0-9])[0-9]{{1,2}}\s{_MONTH_NAMES}[a-z]*\b(?:\s(?:19|20)[0-9]{{2}})?",
    # Vaswani et al. 2017; Geva 等，2021; NeurIPS 2019: a capital, a year, nothing counted.
    rf"{_AUTHOR}{_OTHERS}[,，.]?\s?{_RECENT}(?:\s?[,，、]\s?{_RECENT}){_AT_MOST}{_NO_COUNT}",
    rf"等人?[,，]?\s?{_RECENT}{_NO_COUNT}",
    rf"[（(]\s?{_RECENT}(?:\s?[,，;；、–-]\s?{_RECENT}){_AT_MOST}\s?[)）]",
    rf"(?<=,\s){_RECENT}(?=[.。)）;；]|\s*+$)",  # the year that ends an entry of a bibliography
    "(?<![0-9:])[0-2]?[0-9]:[0-5][0-9]:[0-5][0-9](?![0-9:])",
    r"(?:上午|下午|晚上|凌晨|中午)\s?[0-9]{1,2}(?::[0-5][0-9])?(?:\s?[点时])?",
    "(?:星期|礼拜|(?<!每)周)[一二三四五六](?![个周])",
)

# --- version: before or after, not more or less -----------------------------------------
_SOFTWARE = words(
    "Python torch PyTorch CUDA cuDNN [Nn]um[Pp]y SciPy pandas [Mm]k[Dd]ocs [Mm]kdocs-material"
    r" Material [Pp]lotly jieba Markdown Linux Ubuntu Debian macOS Windows Android iOS"
    r" Chrome Chromium Firefox Safari Node(?:\.js)? npm pip JAX TensorFlow Keras [Tt]ransformers"
    " tokenizers safetensors Triton vLLM GGUF ONNX OpenMP MKL GCC gcc clang LLVM glibc CMake"
    r" Docker Go Rust Java Julia Zensical ProperDocs click git SMT-LIB HTML"
    r" HTTP CSS WCAG OpenGL PCIe USB"
    r" Apache GPL MIT CC\sBY(?:-SA)?"
)
_DOTTED = r"[0-9]++(?:\.(?:[0-9]++|x))*+"
_STAGE = "(?:[-.+]?(?:rc|alpha|beta|dev|post|a|b)[0-9]*+)?"
VERSION = either(
    rf"(?<![A-Za-z0-9.])[vV]{_DOTTED}{_STAGE}(?![A-Za-z0-9])",
    rf"(?<![0-9.])[0-9]++\.[0-9]++\.[0-9]++(?:\.[0-9]++)*+{_STAGE}",
    rf"(?<![A-Za-z]){_SOFTWARE}[\s-](?:[=><~≥≤]=?\s?)?{_DOTTED}\+?{_NO_COUNT}",
    rf"(?<![0-9.]){_DOTTED}\s?(?:版本|版(?![权面图])|\.x)",
    rf"版本号?[为是：:]?\s?{_DOTTED}{_NO_COUNT}",
)

# --- reference: a place elsewhere -------------------------------------------------------
_ORDINAL = rf"第\s?(?:[-−]?{_INTEGER}(?:\.[0-9]++)*+|{_CHINESE_INTEGER}|几)"
_NEXT_ORDINAL = rf"(?:{_AND}(?:第\s?)?(?:{_INTEGER}|{_CHINESE_INTEGER})){_AT_MOST}"
_PARTS = words("章 节 小节 页 篇 条 款 段 讲 卷 册 期 版 幅 张图 部分 附录")
# 图 and 表 also end other words: 试图 3 次, 代表 3 个.
_FIGURE_OR_TABLE = "(?:(?<![试企意贪])图|(?<![代列发外仪手词年电钟])表)"
_NUMBERED = words("附录 公式 等式 方程 脚注 尾注 算法 定理 引理 命题 推论 例题 习题 练习 清单 代码")
_LABEL = rf"[（(]?\s?(?:[A-Z]\.?)?{_NUMBERING}\s?[)）]?"
_SECTION = rf"(?:[A-Z]\.?)?{_NUMBERING}"
_BEFORE_EQUATION = "[见由把将如与和按用从入到即是在及]"
_ENGLISH_PARTS = words(
    r"[Tt]ables? Tab\. [Ff]igures? Figs?\.? Eqs?\.? Equations? [Ss]ections? Secs?\.? [Cc]hapters?"
    r" Ch\. Appendix App\. Algorithm Theorem Lemma Proposition [Pp]ages? pp?\. [Vv]ol\. [Nn]o\."
    " [Nn]otes? [Rr]efs? fn Listing [Pp]art [Ii]ssue PR lines?"
)
REFERENCE = either(
    rf"{_ORDINAL}{_NEXT_ORDINAL}\s?{_PARTS}",
    rf"(?:{_FIGURE_OR_TABLE}|{_NUMBERED})\s?{_listed(_LABEL, '图|表')}{_NO_COUNT}",
    rf"(?:{_FIGURE_OR_TABLE}|{_NUMBERED})[{TEN}]{{1,3}}(?![个种张项条次层倍成步])",
    rf"(?:(?<![{HAN}])|(?<={_BEFORE_EQUATION}))式\s?{_LABEL}",
    r"附录\s?[A-Z]\.[0-9]++(?:\.[0-9]++)*+",
    r"(?<![0-9.])0[0-9]\s?章|(?<![0-9.])[0-9]{1,2}(?:\.[0-9]{1,2})++\s?小?节",
    rf"(?:见|参看|参考|详见|回到|上接)\s?{_listed(_NUMBERING)}\s?[章节页]",
    rf"§+\s?{_listed(_SECTION, '§')}",
    "(?:PR|[Ii]ssue|MR)?\\s?#[0-9]++",
    rf"(?<![A-Za-z]){_ENGLISH_PARTS}\s?{_listed(_LABEL)}{_NO_COUNT}",
    r"\[[1-9][0-9]{0,2}\]|【[1-9][0-9]{0,2}】",
)

# --- index: which one, not how many -----------------------------------------------------
_LABELLED = words(
    "位置 下标 索引 编号 序号 步骤 情形 情况 方案 实验 问题 示例 样例"
    " 案例 路线 选项 神经元 节点 通道 样本 特征 种子"
    " [Pp]osition [Pp]os [Ss]eed [Nn]euron [Uu]nit [Cc]hannel [Ff]eature [Ss]tep [Cc]ase ID id"
)
# "每层 12 个头" is a count, so is "每层 12".
_STACKED = (
    "(?:(?<![每各这那一两几多])(?:层|头|专家|块)"
    "|(?<![A-Za-z])(?:[Ll]ayers?|[Hh]eads?|[Ee]xperts?|[Bb]locks?|[Tt]oken))"
)
_ONE_INDEX = "[0-9]++(?![.,/]?[0-9])"
_NO_SIZE = rf"{_NO_COUNT}(?!\s?[BKMT]\b)"
INDEX = either(
    rf"{_ORDINAL}{_NEXT_ORDINAL}(?:天|秒|分钟|小时|字节|比特|米|度)?",
    rf"{_LABELLED}\s?{_listed(_ONE_INDEX)}{_NO_SIZE}",
    rf"{_STACKED}\s?[0-9]{{1,3}}+(?![.,/]?[0-9])(?:{_AND}{_ONE_INDEX}){_AT_MOST}{_NO_SIZE}",
    "(?<![A-Za-z0-9_.])[bdhijklmnpquvwxyzBKLNUVWXYZ][0-9]{1,2}(?![A-Za-z0-9_.×-])",  # h2, L0
    r"(?<![A-Za-z0-9])[A-Za-z]+_\{?[0-9]++\}?(?![A-Za-z0-9])",  # W_1
    r"(?<![A-Za-z0-9_])[A-Za-z]\s?[+＋−-]\s?[0-9]{1,2}(?![0-9.%A-Za-z])",  # t+1, n−1
    "(?<![0-9.])[0-9]++\\s?\u03c3|(?<![0-9.])[0-9]-sigma",  # three sigma
    "[₀-₉]+",
    r"(?<![0-9.,])[0-9]++(?:st|nd|rd|th)\b",
    rf"(?<![0-9.])[0-9]{{1,5}}\s?号(?![称召])|[{TEN}]号",
    r"从\s?[01]\s?(?:开始|起|数起|编号|算起|计)",
)

# --- list: the numbers of lists and headings --------------------------------------------
_LINE_START = r"(?m:^)[ \t]*+"
_BRACKETED = rf"[（(](?:[0-9]{{1,2}}|[{TEN}]{{1,3}})[)）]"
LIST = either(
    rf"{_LINE_START}[0-9]{{1,2}}+[.\uff0e、)）](?![0-9])",
    rf"{_LINE_START}[{TEN}]{{1,3}}[、.\uff0e]",
    rf"{_LINE_START}{_BRACKETED}",
    rf"(?<=[，。；：、,;:\s]){_BRACKETED}(?=\s?[{HAN}A-Za-z])",
    rf"(?<=[，。；：])\s?[0-9]{{1,2}}[)）](?=\s?[{HAN}])",
    rf"{_LINE_START}[{HAN}]{{1,4}}\s?[0-9]{{1,2}}\s?[：:](?![0-9])",  # 坑 1：
    rf"(?<=[{HAN}])(?<![于为是到成约达即])[{TEN}]{{1,2}}(?=[：:])",  # 误解二：
    "[①-⑳⑴-⒇]",
    rf"(?:(?<=[，。；：、\s])|(?m:^))[{TEN}][是来则](?=[{HAN}，])",  # 一是……，二是……
)

# --- shape: extents of arrays -----------------------------------------------------------
_EXTENT = rf"(?:[0-9]++[A-Za-z]?|[A-Za-z][A-Za-z0-9_]*+|[{HAN}]{{1,6}}+)"
_NEXT_EXTENT = r"(?:\s?,\s|,(?![0-9]{3}(?![0-9])))"  # (65,536) is one number
_SYMBOL = "[0-9]*[A-Za-z](?:_[A-Za-z0-9]++)?"
_FIRST_FACTOR = r"(?<![0-9.A-Za-z×=＝≈])(?<![=＝≈×]\s)"
_NO_PRODUCT = rf"(?![0-9A-Za-z.^⁰¹²³⁴-⁹⁻])(?!\s?[=＝≈×]){_NO_COUNT}"
SHAPE = either(
    rf"(?<![A-Za-z0-9])[(\[（]\s?{_EXTENT}(?:{_NEXT_EXTENT}{_EXTENT})++,?\s?[)\]）]",
    rf"{_FIRST_FACTOR}[0-9]++(?:\s?[×x]\s?[0-9]++)++{_NO_PRODUCT}",
    # d×4d is a shape; 3×d×d is a product whose factor claims something.
    rf"{_FIRST_FACTOR}{_SYMBOL}(?:\s?[×x]\s?(?:{_SYMBOL}|[0-9]++))++{_NO_PRODUCT}",
)

# --- name: models, chips, formats, data sets, standards ---------------------------------
_FAMILY = words(
    "GPT L[Ll]a[Mm][Aa] LLAMA OPT PaLM BLOOM BERT RoBERTa DeBERTa ALBERT Mistral Mixtral Qwen"
    " Gemma Gemini Claude Phi Pythia SmolLM2? DeepSeek Falcon MPT GLM ChatGLM Baichuan InternLM"
    " Switch ViT ResNet Chinchilla Gopher OLMo Mamba Yi T5"
)
_HARDWARE = words("RTX GTX Quadro Radeon Xeon EPYC Ryzen Core")
_STANDARD = words("ISO RFC IEEE PEP GB/T IEC")
# Digits glued or hyphened on, 2/3 inside, parts after a dot or an at sign; \u2011 never breaks.
_WORD_TAIL = (
    r"[A-Za-z0-9_]*+(?:(?:[-\u2011@.](?=[A-Za-z0-9])|(?<=[0-9])/(?=[0-9]))[A-Za-z0-9_]++)*+"
)
_GENERATION = rf"\s[1-9](?:\.[0-9]|/[1-9])?{_NO_COUNT}(?![A-Za-z×%])"
_SIZE = r"\s[0-9]++(?:\.[0-9]++)?[BMT](?![A-Za-z0-9])(?!\s?(?:个|参数))"  # 175B 参数 is a claim
NAME = either(
    rf"(?<![A-Za-z0-9]){_FAMILY}{_WORD_TAIL}(?:{_GENERATION})?(?:{_SIZE})?",  # Llama 2 70B
    r"(?<![0-9.])[0-9]++[×x][0-9]++(?:\.[0-9]++)?B(?![A-Za-z0-9])",  # 8×7B
    r"(?<![0-9.])[0-9]++-(?:bit|shot|gram|way|hop|layer)s?\b",  # 4-bit, 5-shot
    "(?<![0-9A-Za-z.])[1-4]D(?![A-Za-z0-9])",
    rf"(?<![A-Za-z]){_HARDWARE}\s(?:[0-9]\s)?[0-9]{{3,4}}[A-Z]{{0,2}}(?![0-9A-Za-z])",  # RTX 4090
    rf"(?<![A-Za-z]){_STANDARD}[\s-]?[0-9]++(?:-[0-9]++)*+",
    r"(?<![A-Za-z])C\+\+[0-9]{2}",
    r"(?<![0-9.])(?:2|8|10|16|32|64)\s?进制",
    r"(?<![0-9.])(?:8|16|32|64|128)\s?位(?=浮点|整数|整型|系统|处理器|精度)",
    rf"(?<![0-9A-Za-z_.])[A-Za-z]{_WORD_TAIL}",  # H100, top-25, bf16, Qwen2.5-0.5B, llama3_8b
)
