import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../core/index.ts';
import { attentionKindOf, kvBytesOf, readModelConfig, sequenceBytesPerCard } from './index.ts';

const good = {
  model_type: 'llama',
  hidden_size: 4096,
  intermediate_size: 14336,
  num_hidden_layers: 32,
  num_attention_heads: 32,
  num_key_value_heads: 8,
  vocab_size: 128256,
};
const one = { tensor: 1, pipeline: 1, data: 1, expert: null };
const asModel = { format: null, withMtp: false };

function mistakesOf(json: unknown): { code: string; field: string | undefined }[] {
  try {
    readModelConfig(json);
  } catch (error) {
    if (error instanceof UserError) return error.mistakes.map((m) => ({ code: m.code, field: m.place?.field }));
    throw error;
  }
  return [];
}

describe('readModelConfig', () => {
  it('names every missing field at once', () => {
    const { num_hidden_layers: _layers, vocab_size: _vocab, ...rest } = good;
    expect(mistakesOf(rest)).toEqual([
      { code: 'model-config-field-missing', field: 'num_hidden_layers' },
      { code: 'model-config-field-missing', field: 'vocab_size' },
    ]);
  });

  it.each([-1, 0, 1.5, '32', Number.NaN])('refuses %s layers, naming the field', (layers) => {
    expect(mistakesOf({ ...good, num_hidden_layers: layers })).toEqual([
      { code: 'model-config-field-wrong', field: 'num_hidden_layers' },
    ]);
  });

  it('refuses a hidden size that heads do not divide, unless head_dim is given', () => {
    expect(mistakesOf({ ...good, hidden_size: 4097 })[0]!.code).toBe('model-config-head-size');
    expect(readModelConfig({ ...good, hidden_size: 4097, head_dim: 128 }).headDim).toBe(128);
  });

  it.each([
    [{ ...good, num_key_value_heads: 32 }, 'mha'],
    [good, 'gqa'],
    [{ ...good, num_key_value_heads: 1 }, 'mqa'],
  ] as const)('knows the kind of attention (%#)', (config, kind) => {
    expect(attentionKindOf(readModelConfig(config))).toBe(kind);
  });

  it('reads the language model of a multimodal file and says what it leaves out', () => {
    const shape = readModelConfig({ torch_dtype: 'float16', vision_config: {}, text_config: good });
    expect(shape.layers).toBe(32);
    expect(shape.format).toBe('float16');
    expect(shape.uncounted).toEqual(['vision-or-audio-tower']);
  });

  it.each([
    [{ quant_method: 'fp8', weight_block_size: [128, 128] }, 'fp8', 16384],
    [{ quant_method: 'awq', bits: 4, group_size: 128 }, 'int4', 128],
    [{ quant_method: 'gptq', bits: 8, group_size: -1 }, 'int8', null],
    [
      { quant_method: 'compressed-tensors', config_groups: { group_0: { weights: { num_bits: 8, type: 'int' } } } },
      'int8',
      null,
    ],
  ])('reads quantization %#', (quantization_config, format, groupSize) => {
    expect(readModelConfig({ ...good, quantization_config }).quantization).toMatchObject({ format, groupSize });
  });

  it('a sliding window caps what a sequence keeps; a full layer does not', () => {
    const windowed = readModelConfig({ ...good, model_type: 'mistral', sliding_window: 4096 });
    const kv = kvBytesOf(windowed, one, asModel);
    expect(sequenceBytesPerCard(kv, 1000)).toBe(1000 * 131_072);
    expect(sequenceBytesPerCard(kv, 100_000)).toBe(4096 * 131_072);
    const half = readModelConfig({
      ...good,
      sliding_window: 4096,
      layer_types: Array.from({ length: 32 }, (_, i) => (i % 2 === 0 ? 'sliding_attention' : 'full_attention')),
    });
    expect(sequenceBytesPerCard(kvBytesOf(half, one, asModel), 8192)).toBe((8192 + 4096) * 65_536);
  });

  it('ignores the window that Qwen files carry switched off', () => {
    const qwen = { ...good, model_type: 'qwen2', sliding_window: 32768, use_sliding_window: false };
    expect(readModelConfig(qwen).sliding).toBeNull();
  });

  it('linear-attention layers keep no KV', () => {
    const layer_types = Array.from({ length: 32 }, (_, i) => (i % 4 === 3 ? 'full_attention' : 'linear_attention'));
    expect(kvBytesOf(readModelConfig({ ...good, layer_types }), one, asModel).perToken).toBe(131_072 / 4);
  });

  it('answers any JSON with a shape or a UserError, never another failure', () => {
    const value = fc.oneof(fc.integer(), fc.string(), fc.constant(null), fc.boolean(), fc.array(fc.integer()));
    const config = fc.dictionary(
      fc.constantFrom(...Object.keys(good), '__proto__', 'kv_lora_rank', 'num_experts'),
      value,
    );
    fc.assert(
      fc.property(config, (json) => {
        expect(Array.isArray(mistakesOf(json))).toBe(true);
      }),
    );
  });
});
