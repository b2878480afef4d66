"""Chinese numerals that are part of a word, and small counts that a reader checks at a glance.

What stands here is frequent in technical prose or one of a kind; the rest of the language comes
from a dictionary (ffnsite/prose/idioms.py).
"""

from ffnsite.prose.labels import TEN, either, words
from ffnsite.prose.numerals import HAN

# --- small counts: up to ten, with a measure word ---------------------------------------
_SMALL = words("一[二两] [二两]三 三[四五] 四五 五六 六七 七八 八九 [一二两三四五六七八九十几]")
_LATIN_UNIT = r"(?:ms|us|µs|ns|s|min|h|nats?|bits?|pp|[KMGT]?i?B|[KMGTPE]?FLOPS?s?)\b"
_MEASURE_CHARACTERS = (
    "条件种次步层维篇行列章节页段句字词张幅份位名人只头块片组批轮遍趟回项类部门间座台架辆本册卷首支枝根颗粒滴把对双套"
    "堆群串排队道路处面点边端侧角级阶代版期届场局例则款笔家户口栋栏格环圈股束重年月周世岁日者方元域值数式图表声手样"
    "码所国员伙团刻杯线问跳招课讲幕眼餐档番派桩棵波匹尊盏盒盘碗袋封堂幢扇曲杆株箱腔茬锭集帖帧帐勺顿核体"
)
_MEASURE = either(
    # 两个百分点 and 两个字节 measure, 两个多 and 一个半 are not whole.
    r"个(?!\s?(?:百分点|数量级|量级|小时|钟头|字节|比特|半|多))",
    f"[{_MEASURE_CHARACTERS}]",
    words(
        "矩阵 模型 专家 神经元 向量 参数 权重 方法 变体 公式 大类 大块 大部分"
        " 小块 小步 小段 整块 系列 分支 子层 通道"
    ),
)
SMALL_COUNT = either(
    rf"{_SMALL}(?=\s?(?:{_MEASURE})(?![半多余]))",
    rf"{_SMALL}(?=\s?[A-Za-z\ufffc])(?!\s?{_LATIN_UNIT})",  # 两 token
)

# --- words ------------------------------------------------------------------------------
_ONE_WORDS = words(
    "次性 种 样 般 方面 边(?!形) 时 番 面 点 些 下 起 头雾水 层层 步步 块儿 行人"
    " 路 生 世 口气 目了然 道(?!题|工序)"
    " 向 气 手 身 代 同 环扣"
)
_HALF_OR_ZERO = either(
    "半",  # halves that claim something (一半, 半数, 半小时) are longer numerals
    "零(?=初始|均值|向量|矩阵|样本|空间|点|基础|值|元素|梯度|填充|和博弈|拷贝|成本|开销|偏置|[散碎件售部头])",
    "(?<=[从归清置非趋补挂过凋填设堆串])零|(?:设|置|不|初始化|非)[为成]零|零零",
)
_LARGE_UNITS = either(
    "十(?:分(?![之钟])|足|字|全|有八九|之八九)",
    "万(?:一|能|物|分(?!之)|般|事|岁|有引力|无一失|不得已|花筒|变|维网|家|恶|众)|亿万|万千",
    "(?<=[十百千亿])万(?=别|要)|千万(?=[别不要莫注记小])|千(?=问)|百度(?![角电])",
    "[百千](?=科|姓|叶|兆|瓦|米|克|卡|赫|字节|斤)|百分[比点号数位制率]|千分[位号尺]",
)
_COMPOUNDS = either(
    "两(?=[者难极可侧旁岸边端头翼相全用半手])|两两|一一",
    "二(?=者|进制|分|元|次|维|值|阶|手|项|重|级|叉|合一)|三(?=者|角|元|维|阶|明治|分法)",
    "八(?=进制)|十(?=进制|六进制)|十六(?=进制)",
    f"(?<=[选挑])[一二两三]|[{TEN}](?=选[一二两三])|[一多]对[一多]",
    "[其之][一二三四五六七八九](?![倍成])",
    "几(?=[乎何率经时])|(?<=[无茶])几",
    "双十[一二]|[五六]一(?=节|假|儿童|劳动|长假)|三八(?=节|妇女)",
)
_SAYINGS = words(
    "千变万化 千差万别 千篇一律 千丝万缕 三言两语 四舍五入 七上八下 五花八门 四面八方 乱七八糟"
    " 三三两两 两三下 举一反三 接二连三 三番五次 一五一十"
)
IDIOM = either(
    _SAYINGS,
    _COMPOUNDS,
    "(?<=[有每哪某同这那前后])一(?:天|秒|分钟|小时|度)",
    f"一(?={_ONE_WORDS})",
    # Before any other word 一 is an article (一看, 一旦); ratios and units belong to the numeral.
    rf"一(?!\s?(?:{_MEASURE}))(?=[{HAN}])",
    "(?<=[统唯之逐同单其归合任每另某这那专不如初划首])一",
    _HALF_OR_ZERO,
    _LARGE_UNITS,
)
