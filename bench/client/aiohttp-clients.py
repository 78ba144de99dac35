"""Three aiohttp clients written for this project in the manner of `vllm bench serve` and `evalscope perf`: how they set up sessions,
read streams and what they do per event, not their code. All three trust the environment (`trust_env`), as those tools do: aiohttp then
looks for a proxy and a netrc entry before each request. `vllm-script` reads as vLLM's older benchmark_serving.py did: line by line,
in a session, so on a connection, of its own for each request. Usage: aiohttp-clients.py KIND PORT STREAMS REQUESTS → JSON,
KIND one of vllm, vllm-script, evalscope"""
import asyncio, codecs, json, resource, sys, time

import aiohttp

KIND, PORT, STREAMS, REQUESTS = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
URL = f"http://127.0.0.1:{PORT}/v1/chat/completions"
BODY = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "stream": True, "stream_options": {"include_usage": True}}
errors, done, events, lost = [], 0, 0, 0
all_gaps, kept = [], []


def note(data, now):
    global events
    stamp = data.get("emit_ns")
    if stamp is not None:
        errors.append(now * 1e3 - int(stamp) / 1e6)
        events += 1


async def vllm_like(session):
    """One buffer, split at blank lines, what is left tried as JSON too, json.loads per event, everything kept until the end."""
    text, itl, last = "", [], time.perf_counter()
    buffer, decoder = "", codecs.getincrementaldecoder("utf-8")()
    async with session.post(URL, json=BODY) as response:
        async for piece in response.content.iter_any():
            buffer += decoder.decode(piece.strip())
            *whole, buffer = buffer.split("\n\n")
            if buffer.startswith("data: ") and complete(buffer[6:]):
                whole.append(buffer)
                buffer = ""
            for event in whole:
                payload = event.removeprefix("data: ").strip()
                if payload == "[DONE]":
                    continue
                now = time.perf_counter()
                data = json.loads(payload)
                if data.get("choices"):
                    text += data["choices"][0]["delta"].get("content") or ""
                    itl.append(now - last)
                    last = now
                    note(data, now)
    kept.append((text, itl))


def complete(payload):
    if payload == "[DONE]":
        return True
    try:
        json.loads(payload)
        return True
    except json.JSONDecodeError:
        return False


async def vllm_script_like(_shared):
    """A session for each request, line by line, json.loads per event, everything kept until the end."""
    text, itl, last = "", [], time.perf_counter()
    async with aiohttp.ClientSession(trust_env=True, timeout=aiohttp.ClientTimeout(total=6 * 3600)) as session:
        async with session.post(URL, json=BODY) as response:
            async for line in response.content:
                line = line.strip()
                if not line:
                    continue
                payload = line.decode("utf-8").removeprefix("data: ")
                if payload == "[DONE]":
                    continue
                now = time.perf_counter()
                data = json.loads(payload)
                if data.get("choices"):
                    text += data["choices"][0]["delta"].get("content") or ""
                    itl.append(now - last)
                    last = now
                    note(data, now)
    kept.append((text, itl))


async def evalscope_like(session):
    """Line by line, json.loads twice, every chunk kept, and a mean over all gaps so far after each request."""
    chunks, gaps, last = [], [], time.perf_counter()
    async with session.post(URL, json=BODY) as response:
        async for line in response.content:
            line = line.decode("utf-8").strip()
            if not line.startswith("data:"):
                continue
            payload = line[5:].strip()
            if payload == "[DONE]":
                continue
            json.loads(payload)
            now = time.perf_counter()
            data = json.loads(payload)
            chunks.append(data)
            if data.get("choices"):
                gaps.append(now - last)
                last = now
                note(data, now)
    all_gaps.extend(gaps)
    kept.append(json.dumps(chunks))
    sum(all_gaps) / max(1, len(all_gaps))


async def main():
    global done, lost
    one = {"vllm": vllm_like, "vllm-script": vllm_script_like, "evalscope": evalscope_like}[KIND]
    gate = asyncio.Semaphore(STREAMS)

    async def ask(session):
        global done, lost
        async with gate:
            try:
                await one(session)
                done += 1
            except Exception:
                lost += 1

    timeout = aiohttp.ClientTimeout(total=600)
    connector = aiohttp.TCPConnector(limit=STREAMS, keepalive_timeout=60, ttl_dns_cache=300)
    start = time.perf_counter()
    async with aiohttp.ClientSession(trust_env=True, timeout=timeout, connector=connector) as session:
        await asyncio.gather(*(ask(session) for _ in range(REQUESTS)))
    seconds = time.perf_counter() - start
    usage = resource.getrusage(resource.RUSAGE_SELF)
    errors.sort()
    at = lambda q: errors[min(len(errors) - 1, int(len(errors) * q))] if errors else None
    print(json.dumps({"client": f"aiohttp, {KIND}-like", "requests": done, "lost": lost, "events": events, "seconds": seconds,
                      "cpuRatio": (usage.ru_utime + usage.ru_stime) / seconds, "p50Ms": at(0.5), "p99Ms": at(0.99),
                      "maxMs": errors[-1] if errors else None, "rssMB": usage.ru_maxrss / 1024}))


asyncio.run(main())
