"""Add to data the mistakes that a network takes for true: python tools/mine.py RUN DATA OUT [--each 3] [--seed 0]

Each correct training equation of DATA is changed by some of the mistakes that discovered equations have. Those that RUN
finds correct and the oracle finds false, or true on one branch only, follow it in OUT, which has all of DATA besides.
None is a duplicate of an equation of DATA, or a relative of one that is set aside for validation or evaluation.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from tqdm import tqdm

from dgl_mathtree.data.canonical import canonical_key, fold_key
from dgl_mathtree.data.data_files import Row, find_data, read_card, read_rows
from dgl_mathtree.data.data_writer import write_rows
from dgl_mathtree.data.discovery.holdout import Exclusion
from dgl_mathtree.data.edits import mistake
from dgl_mathtree.data.provenance import Edit, to_json
from dgl_mathtree.data.splits import PARTS
from dgl_mathtree.errors import InputError
from dgl_mathtree.inference.trained_verifier import TrainedVerifier
from dgl_mathtree.language import Equation, infix
from dgl_mathtree.language.variable_indices import place
from dgl_mathtree.oracle import Oracle
from dgl_mathtree.training import load

TOGETHER = 4000
"""Rows whose mistakes are judged at once."""
WRONG = ("false", "branch")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", metavar="RUN")
    parser.add_argument("data", metavar="DATA")
    parser.add_argument("out", metavar="OUT")
    parser.add_argument("--each", type=int, default=3, metavar="N", help="mistakes tried for an equation (default 3)")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    try:
        card = read_card(options.data)
        miner = Miner(load(options.run), options.data, options.each, options.seed)
        about = {name: card[name] for name in ("name", "seed", "split", "fingerprint", "generator") if name in card}
        about["description"] = f"{card.get('description', options.data)} With mistakes that a network took for true."
        made = write_rows(options.out, tqdm(miner.rows(), total=card.get("count"), unit=" rows"), about)
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    print(f"{made['count']} equations in {options.out}, {miner.found} of them mined from {miner.tried} mistakes")
    return 0


class Miner:
    """Rows of data with the convincing mistakes of each."""

    def __init__(self, model: TrainedVerifier, data: str, each: int, seed: int) -> None:
        self.model, self.data, self.each = model, find_data(data), each
        self.random = random.Random(f"{seed}/mined")
        self.oracles = [Oracle(seed, complex_plane=False) for seed in (0, 1)]
        self.apart = Exclusion()
        self.seen: set[int] = set()
        self.found = self.tried = 0

    def rows(self) -> Iterator[Row]:
        """All rows of the data, each with those that were mined from it behind it."""
        self.apart = Exclusion.of(["textbook"]) | Exclusion.of_data(["paper", str(self.data)])
        self.seen = {canonical_key(row.parsed().words) for row in read_rows(self.data)}
        rows = read_rows(self.data)
        while some := list(islice(rows, TOGETHER)):
            mined = self._mined([row for row in some if row.label and row.part == PARTS[0]])
            for row in some:
                yield row
                yield from mined.get(row.id, ())

    def _mined(self, correct: Sequence[Row]) -> dict[str, list[Row]]:
        drafts = [(row, edit, Equation._trusted(edit.apply(row.parsed().words))) for row, edit in self._edits(correct)]
        logits, _ = self.model.scores_of_readable([equation for _, _, equation in drafts])
        drafts = [draft for draft, logit in zip(drafts, logits, strict=True) if logit > 0]
        verdicts = [oracle.count(place(equation for _, _, equation in drafts)) for oracle in self.oracles]
        mined: dict[str, list[Row]] = {}
        for (row, edit, equation), *counts in zip(drafts, *verdicts, strict=True):
            verdict = counts[0].verdict
            if verdict in WRONG and counts[1].verdict == verdict and self._is_new(equation):
                self.found += 1
                name = f"mined.{row.id}-{len(mined.get(row.id, ()))}"
                derivation = [*row.derivation, *to_json((edit,))]
                new = Row(name, infix(equation), 0, equation.depth, row.part, verdict, edit.kind, derivation)
                mined.setdefault(row.id, []).append(new)
        return mined

    def _edits(self, rows: Iterable[Row]) -> Iterator[tuple[Row, Edit]]:
        for row in rows:
            words = row.parsed().words
            for _ in range(self.each):
                self.tried += 1
                if (edit := mistake(words, self.random)) is not None:
                    yield row, edit

    def _is_new(self, equation: Equation) -> bool:
        key = canonical_key(equation.words)
        if key in self.seen or self.apart.has(key, fold_key(equation.words)):
            return False
        self.seen.add(key)
        return True


if __name__ == "__main__":
    sys.exit(main())
