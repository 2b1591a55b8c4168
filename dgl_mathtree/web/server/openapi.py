"""The OpenAPI document, generated from the types that check requests and answers."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

from dgl_mathtree.web.server.api import ENDPOINTS, Endpoint, ErrorAnswer
from dgl_mathtree.web.server.responses import STATUSES

REFERENCE = "#/components/schemas/{model}"


def openapi_document() -> dict[str, Any]:
    """The description of the API in OpenAPI 3.1.

    Examples
    --------
    >>> list(openapi_document()["paths"])[:3]
    ['/api/parse', '/api/verify', '/api/complete']
    """
    adapters = {(name, "request"): TypeAdapter[Any](found.request) for name, found in ENDPOINTS.items()}
    adapters |= {(name, "answer"): found.answer for name, found in ENDPOINTS.items()}
    adapters["", "error"] = TypeAdapter(ErrorAnswer)
    inputs = [(key, "validation", adapter) for key, adapter in adapters.items()]
    schemas, definitions = TypeAdapter.json_schemas(inputs, ref_template=REFERENCE)  # type: ignore[arg-type]
    found = {key: schema for (key, _), schema in schemas.items()}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "mathtree serve",
            "version": "1",
            "description": "Answers have the fields that the commands print with --json. Limits: docs/serve.md.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/"}],
        "paths": {
            f"/api/{name}": {"post": _operation(endpoint, found[name, "request"], found[name, "answer"])}
            for name, endpoint in ENDPOINTS.items()
        },
        "components": {
            "schemas": definitions["$defs"],
            "responses": {str(status): _response(why, found["", "error"]) for status, why in STATUSES.items()},
        },
    }


def _operation(endpoint: Endpoint, request: Any, answer: Any) -> dict[str, Any]:
    refusals = {str(status): {"$ref": f"#/components/responses/{status}"} for status in STATUSES}
    return {
        "operationId": endpoint.name,
        "summary": endpoint.summary,
        "requestBody": {"required": True, "content": {"application/json": {"schema": request}}},
        "responses": {"200": _response("The answer.", answer)} | refusals,
    }


def _response(description: str, schema: Any) -> dict[str, Any]:
    return {"description": description, "content": {"application/json": {"schema": schema}}}
