"""What another tool's own files of one run say, as one JSON line: its counts, what it reports, and, where the files hold the
times of events beside the server's stamps, how late it stamped them. Usage: peer-records.py aiperf|evalscope|guidellm DIR
[MONOTONIC_TO_WALL_SECONDS]"""
import glob, json, pickle, base64, re, sqlite3, sys

TOOL, DIR = sys.argv[1], sys.argv[2]
errors, gaps, spans = [], [], []


def quantiles(values):
    values = sorted(values)
    at = lambda q: values[min(len(values) - 1, int(len(values) * q))]
    return {"n": len(values), "mean": sum(values) / len(values), "p50": at(0.5), "p99": at(0.99)} if values else None


def answer(emitted_ms, received_ms):
    """One answer's events: receive times beside the server's stamps, None where the tool kept no time."""
    errors.extend(at - stamp for stamp, at in zip(emitted_ms, received_ms) if at is not None)
    if emitted_ms:
        spans.append((emitted_ms[0], emitted_ms[-1]))
    gaps.extend(b - a for a, b in zip(emitted_ms, emitted_ms[1:]))


def one(pattern):
    found = glob.glob(f"{DIR}/{pattern}", recursive=True)
    if len(found) != 1:
        raise SystemExit(f"{TOOL}: {len(found)} files match {pattern}")
    return found[0]


def load(pattern):
    with open(one(pattern), encoding="utf-8") as file:
        return json.load(file)


def aiperf():
    """Raw export: time.perf_counter_ns (CLOCK_MONOTONIC on Linux) of every SSE message beside its text."""
    with open(one("profile_export_raw.jsonl"), encoding="utf-8") as file:
        for line in file:
            record = json.loads(line)
            if record["metadata"].get("benchmark_phase") != "profiling":
                continue
            emitted, received = [], []
            for response in record.get("responses") or []:
                for stamp in re.findall(r'emit_ns\\*"\s*:\s*\\*"(\d+)', json.dumps(response)):
                    emitted.append(int(stamp) / 1e6)
                    received.append(response["perf_ns"] / 1e6)
            answer(emitted, received)
    report = load("profile_export_aiperf.json")
    of = lambda name, key: (report.get(name) or {}).get(key)
    figures = lambda name: {"mean": of(name, "avg"), "p50": of(name, "p50"), "p99": of(name, "p99")}
    return {"itl": figures("inter_chunk_latency"), "ttft": figures("time_to_first_token"), "ok": int(of("request_count", "avg") or 0),
            "failed": int(of("error_request_count", "avg") or 0), "requestsPerSec": of("request_throughput", "avg")}


def evalscope():
    """Its database: time.perf_counter at the start, then the latency of the first event and every gap between events."""
    summary, percentiles = load("**/benchmark_summary.json"), load("**/benchmark_percentile.json")
    database = sqlite3.connect(f"file:{one('**/benchmark_data.db')}?mode=ro", uri=True)
    for start, first, between, messages in database.execute(
            "SELECT start_time, first_chunk_latency, inter_token_latencies, response_messages FROM result WHERE success = 1"):
        # Written a moment ago by the tool that this bench started: the only reason it may be unpickled.
        events = pickle.loads(base64.b64decode(messages))
        emitted = [int(event["emit_ns"]) / 1e6 for event in events if "emit_ns" in event]
        at, received = start + first, [(start + first) * 1e3]
        for gap in json.loads(between):
            at += gap
            received.append(at * 1e3)
        answer(emitted, received)
    row = {entry["Percentiles"]: entry for entry in percentiles}
    figures = lambda name: {"mean": summary.get(f"Avg {name}"), "p50": row["50%"].get(name), "p99": row["99%"].get(name)}
    return {"itl": figures("ITL (ms)"), "ttft": figures("TTFT (ms)"), "ok": summary["Success Requests"], "failed": summary["Failed Requests"],
            "requestsPerSec": summary["Req Throughput (req/s)"]}


def guidellm():
    """Its report: wall times of the first and the last token of an answer; the stamps are the answer's words."""
    wall_ms = float(sys.argv[3]) * 1e3
    benchmark = load("report.json")["benchmarks"][0]
    for request in benchmark["requests"]["successful"]:
        emitted = [int(word) / 1e6 for word in request["output"].split()]
        times = request["info"]["timings"]
        received = [None] * len(emitted)
        received[0] = times["first_token_iteration"] * 1e3 - wall_ms
        received[-1] = times["last_token_iteration"] * 1e3 - wall_ms
        answer(emitted, received)
    metrics = benchmark["metrics"]
    of = lambda name: metrics[name]["successful"]
    figures = lambda name: {"mean": of(name)["mean"], "p50": of(name)["percentiles"]["p50"], "p99": of(name)["percentiles"]["p99"]}
    totals = metrics["request_totals"]
    return {"itl": figures("inter_token_latency_ms"), "ttft": figures("time_to_first_token_ms"), "ok": totals["successful"],
            "failed": totals["errored"] + totals["incomplete"], "requestsPerSec": of("requests_per_second")["mean"]}


told = {"aiperf": aiperf, "evalscope": evalscope, "guidellm": guidellm}[TOOL]()
window = max(b for _, b in spans) - min(a for a, _ in spans) if spans else 0
held = sum(b - a for a, b in spans) / window if window else None
print(json.dumps({**told, "held": held, "error": quantiles(errors), "truth": quantiles(gaps)}))
