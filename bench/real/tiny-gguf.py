"""Writes a Llama of random weights as a GGUF file, small enough for any machine: a server of llama.cpp has to load something.

    python3 -m venv v && v/bin/pip install gguf numpy
    v/bin/python bench/real/tiny-gguf.py tiny.gguf

The tokens are the 256 bytes, so that every text can be said and (nearly) every answer is nonsense. Seeded: the same file every time.
"""

import sys

import gguf
import numpy as np

layers, width, heads, inner, context = 2, 64, 4, 128, 2048
rng = np.random.default_rng(1)

# SentencePiece's layout: three marks, the 256 bytes, and a few printable pieces so that answers have text.
tokens = [b"<unk>", b"<s>", b"</s>"] + [f"<0x{i:02X}>".encode() for i in range(256)]
kinds = [gguf.TokenType.UNKNOWN, gguf.TokenType.CONTROL, gguf.TokenType.CONTROL] + [gguf.TokenType.BYTE] * 256
for piece in ["\u2581the", "\u2581sky", "\u2581is", "\u2581blue", "\u2581and", "\u2581wide", ",", ".", "\u4f60", "\u597d", "\u2581caf\u00e9"]:
    tokens.append(piece.encode())
    kinds.append(gguf.TokenType.NORMAL)
scores = [0.0] * 259 + [-float(i) for i in range(len(tokens) - 259)]


def random(*shape: int) -> np.ndarray:
    return (rng.standard_normal(shape) * 0.05).astype(np.float32)


out = gguf.GGUFWriter(sys.argv[1], "llama")
out.add_name("tiny random llama")
out.add_context_length(context)
out.add_embedding_length(width)
out.add_block_count(layers)
out.add_feed_forward_length(inner)
out.add_head_count(heads)
out.add_head_count_kv(heads)
out.add_layer_norm_rms_eps(1e-5)
out.add_rope_dimension_count(width // heads)
out.add_tokenizer_model("llama")
out.add_token_list(tokens)
out.add_token_scores(scores)
out.add_token_types(kinds)
out.add_bos_token_id(1)
out.add_eos_token_id(2)
out.add_unk_token_id(0)
out.add_chat_template("{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}assistant: ")

# The printable pieces are made likely: an answer of raw bytes is mostly no UTF-8.
head = random(len(tokens), width)
head[259:] *= 40
out.add_tensor("token_embd.weight", random(len(tokens), width) * 20)
out.add_tensor("output_norm.weight", np.ones(width, dtype=np.float32))
out.add_tensor("output.weight", head)
for i in range(layers):
    out.add_tensor(f"blk.{i}.attn_norm.weight", np.ones(width, dtype=np.float32))
    out.add_tensor(f"blk.{i}.ffn_norm.weight", np.ones(width, dtype=np.float32))
    for name in ["attn_q", "attn_k", "attn_v", "attn_output"]:
        out.add_tensor(f"blk.{i}.{name}.weight", random(width, width))
    out.add_tensor(f"blk.{i}.ffn_gate.weight", random(inner, width))
    out.add_tensor(f"blk.{i}.ffn_up.weight", random(inner, width))
    out.add_tensor(f"blk.{i}.ffn_down.weight", random(width, inner))
out.write_header_to_file()
out.write_kv_data_to_file()
out.write_tensors_to_file()
out.close()
