"""A front of one process as vLLM's is: FastAPI on uvicorn (uvloop, httptools), one StreamingResponse a request, fed by one queue a
request, to which a step of a pretended engine gives a token each. `GET /taken` tells how many tokens were made since it was asked last, in what time,
and with how much processor time of this process. Usage: front.py PORT TOKENS STEP_MS   (STEP_MS 0 = the next step begins when
all queues are empty, so as fast as the front can)"""
import asyncio, contextlib, sys, time

import uvicorn
from fastapi import FastAPI
from fastapi.responses import StreamingResponse

PORT, TOKENS, STEP_S = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]) / 1000
HEAD = 'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"m","choices":[{"index":0,"delta":'
FIRST = HEAD + '{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}]}\n\n'
TOKEN = HEAD + '{"content":" token"},"logprobs":null,"finish_reason":null}],"emit_ns":"%d"}\n\n'
LAST = HEAD + '{},"logprobs":null,"finish_reason":"stop"}]}\n\n' + (
    'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"m","choices":[],'
    '"usage":{"prompt_tokens":10,"completion_tokens":%d,"total_tokens":%d}}\n\ndata: [DONE]\n\n' % (TOKENS, TOKENS + 10)
)

@contextlib.asynccontextmanager
async def lifespan(_app):
    task = asyncio.create_task(engine())
    yield
    task.cancel()


app = FastAPI(lifespan=lifespan)
batch = {}  # request: tokens left to make
begun = asyncio.Event()
made = 0
since = None  # (monotonic, process) seconds at the first token after the last question
until = None  # the same at the last token


def clocks():
    return time.monotonic(), time.process_time()


async def engine():
    global made, since, until
    due = time.monotonic()
    while True:
        if not batch:
            begun.clear()
            await begun.wait()
            due = time.monotonic()
        if since is None:
            since = clocks()
        for queue in list(batch):
            queue.put_nowait(None)
            made += 1
            batch[queue] -= 1
            if batch[queue] == 0:
                del batch[queue]
        if STEP_S > 0:
            due += STEP_S
            await asyncio.sleep(due - time.monotonic())
        else:
            while any(not queue.empty() for queue in batch):
                await asyncio.sleep(0)
        until = clocks()


@app.post("/v1/chat/completions")
async def chat():
    queue = asyncio.Queue()
    batch[queue] = TOKENS
    begun.set()

    async def answer():
        yield FIRST
        for _ in range(TOKENS):
            await queue.get()
            yield TOKEN % time.monotonic_ns()
        yield LAST

    return StreamingResponse(answer(), media_type="text/event-stream")


@app.get("/v1/models")
async def models():
    return {"object": "list", "data": [{"id": "m", "object": "model"}]}


@app.get("/taken")
async def taken():
    global made, since, until
    told = {"tokens": made, "seconds": until[0] - since[0], "cpuSeconds": until[1] - since[1]} if until else None
    made, since, until = 0, None, None
    return told


uvicorn.run(app, host="127.0.0.1", port=PORT, log_level="error", access_log=False, timeout_keep_alive=600)
