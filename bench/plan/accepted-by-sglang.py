"""Hands emitted command lines to SGLang's own parser and ServerArgs, which resolves and checks them as a server does; no weights, no card.
Run in a venv with SGLang: python accepted-by-sglang.py OUT-FOLDER/lines.ndjson"""
import json, os, shlex, sys

os.environ.setdefault("HF_HUB_OFFLINE", "1")
from sglang.srt.server_args import prepare_server_args

rows = [json.loads(line) for line in open(sys.argv[1])]
taken = refused = 0
for row in rows:
    if row["engine"] != "sglang" or row["line"] is None:
        continue
    words = shlex.split(row["line"].replace("\\\n", " "))
    at = words.index("--model-path")
    try:
        # Which card it is cannot be asked here; none is touched.
        args = prepare_server_args([*words[at:at + 1], row["folder"], *words[at + 2:], "--device", "cuda"])
        args.resolve_once()
        args.check_server_args()
        taken += 1
    except (SystemExit, Exception) as wrong:
        refused += 1
        said = str(wrong).strip().splitlines()
        print(f"{row['model']} on {row['cards']} x {row['card']}: {type(wrong).__name__} {said[0][:300] if said else ''}")
print(f"{taken} accepted, {refused} refused")
