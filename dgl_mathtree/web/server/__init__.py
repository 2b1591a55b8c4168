"""A local page and a JSON API: what `mathtree serve` runs (docs/serve.md).

Nothing is imported here: the model process does not need the web server.
"""
