"""Writes a Llama of random weights with a tokenizer of bytes, for `transformers serve` on any machine; nothing is downloaded.

    pip install 'transformers[serving]' torch
    python bench/real/tiny-llama.py tiny-llama
    transformers serve ./tiny-llama --host 127.0.0.1 --port 8351 --device cpu
"""

import sys

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

folder = sys.argv[1]
torch.manual_seed(1)
marks = ["<s>", "</s>"]
alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
vocabulary = {piece: i for i, piece in enumerate(marks + alphabet)}
inner = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
inner.decoder = decoders.ByteLevel()
tokenizer = PreTrainedTokenizerFast(tokenizer_object=inner, bos_token="<s>", eos_token="</s>")
tokenizer.chat_template = "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}assistant: "
tokenizer.save_pretrained(folder)
config = LlamaConfig(
    vocab_size=len(vocabulary), hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4,
    num_key_value_heads=4, max_position_embeddings=2048, bos_token_id=0, eos_token_id=1, tie_word_embeddings=False,
)
model = LlamaForCausalLM(config)
with torch.no_grad():
    # Letters are made likely, so that answers are text; the end is made unlikely, so that they have the length asked for.
    for piece, i in vocabulary.items():
        model.lm_head.weight[i] *= 30 if len(piece) == 1 and piece.isascii() and piece.isalpha() else 0
model.save_pretrained(folder)
