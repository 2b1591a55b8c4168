"""Judge equations: those on the command line, or a handful of well-known ones.

python examples/verify.py "sin(2x) = 2 sin(x) cos(x)"
"""

from __future__ import annotations

import sys

from dgl_mathtree.expressions import Oracle, ParseError, parse_equation

EQUATIONS = [
    "sin(x)^2 + cos(x)^2 = 1",
    "tan(x + y) = (tan(x) + tan(y)) / (1 - tan(x) tan(y))",
    "sin(x) = sqrt(1 - cos(x)^2)",
    "sin(x + y) = sin(x) + sin(y)",
    "log(x y) = log(x) + log(y)",
    "tan(pi/2) = 1",
    # Two equations that the paper prints as correct: each holds on one branch only.
    r"2^{-1} + \Big(-\frac{1}{2} \times \big (-1 \times \sqrt{1 + (-1 \times \sin^2(\sqrt{4} \times (\pi"
    r" + (x \times -1))))} \big) \Big) + \cos^{\sqrt{4}}(x) = 1",
    r"\big(\cos(y^1 + x) + z\big)^w = \big(\cos(x) \times \cos(0 + y) + \big(-1 \times \sqrt{1 + -1 \times"
    r" \cos^{2}(y + 2\pi)}\; \big) \times \sin(x) + z \big)^w",
]


def main(texts: list[str]) -> int:
    try:
        equations = [parse_equation(text) for text in texts or EQUATIONS]
    except ParseError as error:
        print(error, file=sys.stderr)
        return 2
    print("verdict    depth  equation")
    for equation, judgement in zip(equations, Oracle().judge(equations), strict=True):
        print(f"{judgement.verdict:<9}  {equation.depth:>5}  {equation}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
