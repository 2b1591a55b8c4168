"""Text to tokens: what people type, unicode mathematics, and LaTeX, as one stream of simple tokens."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import accumulate

from dgl_mathtree.language.parsing.absolute import paired_bars
from dgl_mathtree.language.parsing.surroundings import ENDINGS, extent
from dgl_mathtree.language.parsing.syntax_errors import ParseError, unexpected, unknown_name
from dgl_mathtree.language.parsing.tokens import Token, Tokens
from dgl_mathtree.language.vocabulary import CONSTANTS, FUNCTIONS, GREEK, is_variable, number_word

_FUNCTION_NAMES = "|".join(sorted(FUNCTIONS, key=len, reverse=True))
_STYLE = r"\\(?:mathrm|mathit|mathbf|mathsf|textrm|textit|text|mbox)\s*"
_BAR = r"(?:[|∣]|\\[lr]?vert(?![A-Za-z]))"
_INDEX = r"(?: [0-9]+ | [₀-₉]+ | _(?: [0-9]+ | [A-Za-z](?![A-Za-z]) | \{[A-Za-z0-9]+\} ) )?"
_SIZE = r"\\(?:left|right|[bB]igg?[lrm]?)"
_SKIP = rf"""(?: {_SIZE}(?![A-Za-z]) | \\(?:q?quad|(?:display|text)style|thinspace|enspace|limits)(?![A-Za-z])
        | \\[;,:!\ ] | [~$] | \\(?:text|mbox)\s*\{{[\s.,;~]*\}} | &(?=\s*=) | (?<==)& | (?<==\s)& )"""
_SIGN = r"[-+/^,_(){}\[\]×·⋅∙∗÷−–] | \*\*? | ==?"
_TOKEN = re.compile(
    rf"""\s*(?:
    (?P<NUMBER>  [0-9]+(?:\.[0-9]+)? | \.[0-9]+ )
  | (?P<WORD>    [A-Za-z]+{_INDEX} )
  | (?P<FUNCTION> \\(?:{_FUNCTION_NAMES})(?![A-Za-z]) | √
        | (?:\\operatorname\*?\s*|{_STYLE})\{{\s*(?:{_FUNCTION_NAMES})\s*\}} )
  | (?P<SYMBOL>  {_SIGN} | \\(?:times|cdot|ast|div|[lr](?:paren|brack|brace))(?![A-Za-z]) | \\[{{}}] )
  | (?P<BAR>     (?:{_SIZE}\s*)?{_BAR} )
  | (?P<SKIP>    {_SKIP} )
  | (?P<FRACTION> \\[dtc]?frac(?![A-Za-z]) )
  | (?P<BLANK>   [?□] | \\(?:square|Box)(?![A-Za-z]) )
  | (?P<NAME>    (?:\\pi|π)(?![A-Za-z_]) | (?:{_STYLE}\{{\s*\\?[A-Za-z]+\s*\}}|\\[A-Za-z]+|[Α-Ωα-ωϑϕϰϱϵµ]){_INDEX} )
  | (?P<RAISED>  ⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+ )
  | (?P<LOWERED> [₀-₉]+ )
  | (?P<VULGAR>  [½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞] )
    )""",
    re.VERBOSE,
)
_LAYOUT = re.compile(rf"\s*(?: (?=[\\~$&]) (?!{_SIZE}\s*{_BAR}){_SKIP} \s* )*", re.VERBOSE)
_PIECE = re.compile(
    rf"""(?:
    {_SIGN}
  | log(?![A-Za-z0-9])
  | [A-Za-z]+{_INDEX}
  | [0-9]+(?:\.[0-9]+)?(?: [eE][-+−]?[0-9] )?
  | \\(?: [{{}}] | (?:times|cdot|[dtc]?frac)(?![A-Za-z]) | log(?![A-Za-z0-9])
        | operatorname\{{[a-z]+\}}(?![0-9]) | [A-Za-z]+{_INDEX} )
  | [Α-Ωα-ωϑϕϰϱϵµ]{_INDEX}
  | [?□½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞]
  | \.[0-9]+(?: [eE][-+−]?[0-9] )?
    ){_LAYOUT.pattern}""",
    re.VERBOSE,
)
"""What may be a token, however the text goes on, and the layout after it. What else there is needs a closer look."""
_SYMBOLS = {
    "**": "^",
    "==": "=",
    **dict.fromkeys(["×", "·", "⋅", "∙", "∗", r"\times", r"\cdot", r"\ast"], "*"),
    **dict.fromkeys(["÷", r"\div"], "/"),
    **dict.fromkeys(["−", "–"], "-"),
    **dict.fromkeys([r"\{", r"\lbrace", r"\lparen"], "("),
    **dict.fromkeys([r"\}", r"\rbrace", r"\rparen"], ")"),
    **{r"\lbrack": "[", r"\rbrack": "]"},
}
MOST_KEPT = 4096
"""The pieces whose tokens are remembered."""
_END = ("END", "")
_RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_LOWERED = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_VULGAR = dict(
    zip(
        "½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞",
        "1/2 1/3 2/3 1/4 3/4 1/5 2/5 3/5 4/5 1/6 5/6 1/8 3/8 5/8 7/8".split(),
        strict=True,
    )
)
_EXPONENT_NOTATION = re.compile(r"[eE][-+−]?[0-9]")
_INDEX_OF_CALL = re.compile(r"([0-9]+)\s*\(")
_PRODUCT_OF_LETTERS = re.compile(r"[abctuvwxyz]{2,3}")
_VARIANTS = {"ϑ": "theta", "ϕ": "phi", "ϰ": "kappa", "ϱ": "rho", "ϵ": "epsilon", "ς": "sigma", "µ": "mu"}
_VARIANT_COMMANDS = {f"var{name}": name for name in ("epsilon", "theta", "kappa", "rho", "sigma", "phi")}
_LETTERS = re.compile(r"[A-Za-z]+")
_BOTH_FORMS = re.compile(r"\\var(epsilon|theta|kappa|rho|sigma|phi)(?![A-Za-z])")


def tokenize(text: str) -> Tokens:
    """The tokens of a text, an END token last.

    Most texts are made of pieces that are each one token wherever they stand: all are found at once, and what each
    means is looked up. Any other text is read token by token.
    """
    start, stop, end = 0, len(text.rstrip()), len(text)
    if "\\" in text or text[stop - 1 : stop] in ENDINGS:
        start, stop, end = _extent(text)
    layout = _LAYOUT.match(text, start, stop)
    first = layout.end() if layout else start
    pieces = _PIECE.findall(text, first, stop)
    found = list(map(_LONE_TOKENS.__getitem__, pieces))
    positions = list(accumulate(map(len, pieces), initial=first))
    if all(found) and positions[-1] == stop:
        positions[-1] = end
        kinds, words = zip(*found, _END, strict=True)
        return Tokens(kinds, words, positions)
    tokens = [*_one_by_one(text, start, stop), Token("END", "", end)]
    if any(token.kind == "|" for token in tokens):
        tokens = paired_bars(tokens, text)
    return Tokens(*zip(*tokens, strict=True))


class _LoneTokens(dict[str, tuple[str, ...]]):
    """Kind and text of the one token that a piece is; empty for several, and for a bar, which needs its partner."""

    def __missing__(self, piece: str) -> tuple[str, ...]:
        try:
            tokens = _one_by_one(piece, 0, len(piece.rstrip()))
        except ParseError:
            tokens = []
        found = tokens[0][:2] if len(tokens) == 1 and tokens[0].kind != "|" else ()
        if len(self) >= MOST_KEPT:
            self.clear()
        self[piece] = found
        return found


_LONE_TOKENS = _LoneTokens()


def _one_by_one(text: str, after: int, stop: int) -> list[Token]:
    """The tokens of a part of a text, each seen with what follows it."""
    tokens: list[Token] = []
    match_at = _TOKEN.match
    while after < stop:
        match = match_at(text, after, stop)
        if match is None:
            raise unexpected(text, after)
        kind, found = match.lastgroup, match[match.lastindex or 0]
        after = match.end()
        position = after - len(found)
        if kind == "SYMBOL":
            symbol = _SYMBOLS.get(found, found)
            tokens.append(Token(symbol, found, position))
        elif kind == "NUMBER":
            if _EXPONENT_NOTATION.match(text, after):
                raise ParseError(
                    f"{found}e... could be a power of ten or a product with e: write {found}*10^n or {found}*e",
                    text,
                    position,
                )
            tokens.append(Token("NUMBER", number_word(found), position))
        elif kind == "WORD" or kind == "NAME":
            called = text[after : after + 1] == "("
            words = _names(found, called)
            if words is None:
                raise unknown_name(_plain(found), found.startswith("\\"), called, text, position)
            if isinstance(words, str):
                after = position + len(words)
                tokens.append(Token("FUNCTION", FUNCTIONS[words], position))
                if after < stop and text[after].isdigit():
                    tokens.extend(_index_of_call(tokens[-1], text, after))
            else:
                tokens.extend([Token("NAME", word, position + k) for k, word in enumerate(words)])
        elif kind == "FUNCTION":
            tokens.append(Token("FUNCTION", _function(found), position))
            tokens.extend(_index_of_call(tokens[-1], text, after))
        elif kind == "FRACTION" or kind == "BLANK":
            tokens.append(Token(kind, found, position))
        elif kind == "BAR":
            tokens.append(Token("|", found, position))
        elif kind == "RAISED":
            tokens.append(Token("^", found, position))
            tokens.extend(_raised(found, position))
        elif kind == "LOWERED":
            tokens.append(Token("_", found, position))
            tokens.append(Token("NUMBER", number_word(found.translate(_LOWERED)), position))
        elif kind == "VULGAR":
            tokens.append(Token("NUMBER", _VULGAR[found], position))
    return tokens


def _extent(text: str) -> tuple[int, int, int]:
    """Where the equation starts and stops within its surroundings, and where it is said to end."""
    for variant in _BOTH_FORMS.finditer(text):
        if re.search(rf"\\{variant[1]}(?![A-Za-z])", text):
            reason = f"{variant[0]} and \\{variant[1]} are one name here: write one of them as another letter"
            raise ParseError(reason, text, variant.start())
    start, stop = extent(text)
    return start, stop, len(text) if stop == len(text.rstrip()) else stop


def _index_of_call(function: Token, text: str, after: int) -> list[Token]:
    """An underscore where a base follows a logarithm without one: log2(x)."""
    index, name = _INDEX_OF_CALL.match(text, after), function.text
    if index is None:
        return []
    if name != "log":
        reason = f"{name}{index[1]}(...) is not a function: write {name}(x)^{index[1]} or {name}({index[1]}*x)"
        raise ParseError(reason, text, function.position)
    return [Token("_", "", after)]


def _raised(found: str, position: int) -> list[Token]:
    """The exponent written in raised digits, bracketed so that a minus stays inside."""
    digits = found.translate(_RAISED)
    sign = [Token("-", "-", position)] if digits[0] == "-" else []
    number = Token("NUMBER", number_word(digits.lstrip("-")), position)
    return [Token("{", "", position), *sign, number, Token("}", "", position)]


@lru_cache(maxsize=4096)
def _function(found: str) -> str:
    return FUNCTIONS["sqrt" if found == "√" else re.sub(rf"\\operatorname\*?|{_STYLE}|[\\{{}}\s]", "", found)]


def _plain(found: str) -> str:
    """A name without LaTeX's signs, its Greek letters spelled out."""
    name = re.sub(rf"{_STYLE}(?=\{{)|[\\{{}}\s]", "", found).replace("π", "pi")
    name = re.sub("[₀-₉]+", lambda digits: f"_{digits[0].translate(_LOWERED)}", name)
    for letter, spelled in (*GREEK.items(), *_VARIANTS.items()):
        name = name.replace(letter, spelled)
    stem = _LETTERS.match(name)
    variant = _VARIANT_COMMANDS.get(stem[0]) if stem and found.startswith("\\") else None
    return name if stem is None or variant is None else variant + name[stem.end() :]


@lru_cache(maxsize=4096)
def _names(found: str, called: bool) -> tuple[str, ...] | str | None:
    """The variable, constant or product of variables that a name stands for; `called`: a bracket follows it.

    A text if it is the name of a function, perhaps with something after it that is no part of it.
    """
    letters = _LETTERS.match(found)
    if letters and letters[0] in FUNCTIONS:
        return letters[0]
    name = _plain(found)
    if name in CONSTANTS or is_variable(name):
        return (name,)
    return tuple(found) if _PRODUCT_OF_LETTERS.fullmatch(found) and not called else None
