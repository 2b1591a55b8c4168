"""Discovery of identities: expressions enumerated over arrays and grouped by value, and what is made of the pairs.

`pools` says what is enumerated, `enumeration` finds pairs of equal value, `laws` and `templates` instantiate known
patterns, `transformation` substitutes, rearranges and rewrites, `mistakes` makes near misses, and `assembly` puts
labelled equations together.
"""
