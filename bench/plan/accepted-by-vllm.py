"""Hands emitted command lines to vLLM's own parser and EngineArgs, up to the engine's config; no weights, no card.
Run in a venv with vLLM: python accepted-by-vllm.py OUT-FOLDER/lines.ndjson"""
import json, os, shlex, sys

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("VLLM_LOGGING_LEVEL", "ERROR")
from vllm.engine.arg_utils import AsyncEngineArgs
from vllm.entrypoints.launchers.cli_args import make_arg_parser  # vLLM 0.32
from vllm.utils.argparse_utils import FlexibleArgumentParser

rows = [json.loads(line) for line in open(sys.argv[1])]
taken = refused = 0
for row in rows:
    if row["engine"] != "vllm" or row["line"] is None:
        continue
    words = shlex.split(row["line"].replace("\\\n", " "))
    assert words[:2] == ["vllm", "serve"], words[:2]
    try:
        parser = make_arg_parser(FlexibleArgumentParser())
        args = parser.parse_args([*words[3:], "--model", row["folder"], "--skip-tokenizer-init"])
        AsyncEngineArgs.from_cli_args(args).create_engine_config()
        taken += 1
    except SystemExit as end:
        refused += 1
        print(f"{row['model']} on {row['cards']} x {row['card']}: the parser ended with {end.code}")
    except Exception as wrong:
        refused += 1
        print(f"{row['model']} on {row['cards']} x {row['card']}: {str(wrong).strip().splitlines()[0][:300] if str(wrong).strip() else type(wrong).__name__}")
print(f"{taken} accepted, {refused} refused")
