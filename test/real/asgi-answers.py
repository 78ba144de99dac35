"""Answers as an OpenAI-compatible server gives them, as an ASGI app: what speaks HTTP/2 is the server that runs it (hypercorn)."""
import asyncio
import json


async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                await send({"type": "lifespan.startup.complete"})
            else:
                await send({"type": "lifespan.shutdown.complete"})
                return
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body", False):
            break
    asked = json.loads(body or b"{}")
    count = int(asked.get("max_tokens") or 8)
    usage = {"prompt_tokens": 3, "completion_tokens": count, "total_tokens": 3 + count}
    version = scope.get("http_version", "?").encode()
    headers = [(b"x-http-version", version)]
    if scope["path"].endswith("/models"):
        await whole(send, headers, {"data": [{"id": "any"}]})
    elif not asked.get("stream"):
        choice = {"message": {"content": "word " * count}, "finish_reason": "length"}
        await whole(send, headers, {"choices": [choice], "usage": usage})
    else:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream"), *headers]})
        for _ in range(count):
            await event(send, {"choices": [{"index": 0, "delta": {"content": "word "}}]})
            await asyncio.sleep(0.005)
        await event(send, {"choices": [{"index": 0, "delta": {}, "finish_reason": "length"}]})
        await event(send, {"choices": [], "usage": usage})
        await send({"type": "http.response.body", "body": b"data: [DONE]\n\n", "more_body": False})


async def event(send, value):
    await send({"type": "http.response.body", "body": b"data: " + json.dumps(value).encode() + b"\n\n", "more_body": True})


async def whole(send, headers, value):
    body = json.dumps(value).encode()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"application/json"), *headers]})
    await send({"type": "http.response.body", "body": body, "more_body": False})
