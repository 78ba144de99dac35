import { isObject, mistake, UserError, userError } from '../../core/index.ts';
import type { Place } from '../../core/index.ts';
import { ConfigFields } from './config-fields.ts';
import type { Experts, LatentAttention, ModelShape, WeightQuantization } from './model-shape.ts';
import { numberFormatOf } from './number-format.ts';

/** The shape that a config.json in the Hugging Face layout describes; a UserError names every field that is wrong. */
export function readModelConfig(json: unknown, place: Place = {}): ModelShape {
  if (!isObject(json)) {
    throw userError(
      'model-config-not-an-object',
      'a model config must be a JSON object',
      '模型配置必须是一个 JSON 对象',
      'give the config.json that lies beside the weights',
      '请使用权重目录中的 config.json',
      place,
    );
  }
  const inner = ['text_config', 'language_config', 'llm_config'].map((key) => own(json, key)).find(isObject);
  const fields = inner === undefined ? json : { ...pick(json, outerKeys), ...inner };
  const read = new ConfigFields(fields, place);
  const shape = shapeOf(read, inner !== undefined);
  if (read.mistakes.length === 0 && !Number.isInteger(shape.headDim)) {
    read.mistakes.push(
      mistake(
        'model-config-head-size',
        `hidden_size ${shape.hiddenSize} is not a multiple of ${shape.attentionHeads} heads, and head_dim is not given`,
        `hidden_size ${shape.hiddenSize} 不是 ${shape.attentionHeads} 个头的整数倍，且没有 head_dim`,
        'add head_dim as the authors published it',
        '请补上模型作者发布的 head_dim',
        { ...place, field: 'head_dim' },
      ),
    );
  }
  if (read.mistakes.length > 0) throw new UserError(read.mistakes);
  return shape;
}

const outerKeys = ['torch_dtype', 'dtype', 'quantization_config', 'tie_word_embeddings', 'vocab_size'];

function shapeOf(read: ConfigFields, multimodal: boolean): ModelShape {
  const family = read.text('model_type') ?? 'unknown';
  const layers = read.needed({ en: 'number of layers', zh: '层数' }, 'num_hidden_layers', 'num_layers', 'n_layer');
  const hiddenSize = read.needed({ en: 'width of the model', zh: '隐藏层宽度' }, 'hidden_size', 'n_embd');
  const attentionHeads = read.needed({ en: 'attention heads', zh: '注意力头数' }, 'num_attention_heads', 'n_head');
  const vocabSize = read.needed({ en: 'vocabulary', zh: '词表大小' }, 'vocab_size', 'padded_vocab_size');
  const latent = latentOf(read);
  const sliding = slidingOf(read, family, layers);
  const types = read.raw('layer_types');
  const linearLayers = Array.isArray(types) ? types.filter((t) => t === 'linear_attention').length : 0;
  const bias = biasOf(read, family);
  return {
    family,
    layers,
    hiddenSize,
    vocabSize,
    attentionHeads,
    kvHeads: kvHeadsOf(read, attentionHeads),
    headDim: read.optional('head_dim', 'kv_channels') ?? hiddenSize / attentionHeads,
    latent,
    queryKeyValueBias: bias.queryKeyValue,
    outputBias: bias.output,
    headNorms: family.startsWith('qwen3') || read.flag('use_qk_norm'),
    intermediateSize:
      read.optional('intermediate_size', 'ffn_hidden_size') ??
      (read.optional('moe_intermediate_size') === null
        ? read.needed({ en: 'width of the MLP', zh: 'MLP 宽度' }, 'intermediate_size', 'ffn_hidden_size')
        : 0),
    gated: !['gpt2', 'opt', 'bloom', 'gpt_neox', 'falcon', 'phi'].includes(family),
    moe: expertsOf(read, family, layers),
    normsPerLayer: ['glm4', 'gemma2', 'gemma3', 'gemma3_text'].includes(family) ? 4 : 2,
    tied:
      read.flag('tie_word_embeddings') || (read.raw('tie_word_embeddings') === undefined && family.startsWith('gemma')),
    mtpLayers: read.count('num_nextn_predict_layers', 'mtp_num_hidden_layers') ?? 0,
    sliding,
    linearLayers,
    maxPositionTokens: stretched(read.optional('max_position_embeddings', 'seq_length', 'n_positions'), read),
    format: numberFormatOf(read.text('torch_dtype', 'dtype') ?? 'bfloat16') ?? 'bfloat16',
    quantization: quantizationOf(read),
    uncounted: [...(multimodal ? ['vision-or-audio-tower'] : []), ...(linearLayers > 0 ? ['linear-attention'] : [])],
  };
}

/** Kinds of rope scaling whose factor is already in max_position_embeddings. */
const alreadyStretched = new Set(['su', 'longrope', 'llama3', 'default', 'mrope']);

/** The longest context with the file's own rope scaling, as engines read it: yarn counts from its original length. */
function stretched(tokens: number | null, read: ConfigFields): number | null {
  const scaling = read.raw('rope_scaling', 'rope_parameters');
  if (tokens === null || typeof scaling !== 'object' || scaling === null) return tokens;
  const { rope_type, type, factor, original_max_position_embeddings: original } = scaling as Record<string, unknown>;
  const kind = rope_type ?? type;
  if (typeof kind !== 'string' || alreadyStretched.has(kind)) return tokens;
  if (typeof factor !== 'number' || !(factor > 1)) return tokens;
  const from = kind === 'yarn' && typeof original === 'number' && original >= 1 ? original : tokens;
  return Math.max(tokens, Math.floor(from * factor));
}

function kvHeadsOf(read: ConfigFields, attentionHeads: number): number {
  if (read.flag('multi_query_attention')) return read.optional('multi_query_group_num') ?? 1;
  return read.optional('num_key_value_heads', 'num_kv_heads') ?? (read.flag('multi_query') ? 1 : attentionHeads);
}

function latentOf(read: ConfigFields): LatentAttention | null {
  const kvLoraRank = read.optional('kv_lora_rank');
  if (kvLoraRank === null) return null;
  return {
    kvLoraRank,
    ropeHeadDim: read.needed({ en: 'rotary part of a key', zh: 'key 的旋转部分' }, 'qk_rope_head_dim'),
    nopeHeadDim: read.needed({ en: 'other part of a key', zh: 'key 的非旋转部分' }, 'qk_nope_head_dim'),
    valueHeadDim: read.needed({ en: 'width of a value', zh: 'value 宽度' }, 'v_head_dim'),
    queryLoraRank: read.optional('q_lora_rank'),
    indexHeadDim: read.optional('index_head_dim'),
  };
}

/** Qwen 1.5 to 2.5 have biases on q, k and v by their code, with no word of it in the file. */
function biasOf(read: ConfigFields, family: string): { queryKeyValue: boolean; output: boolean } {
  if (family.startsWith('qwen2')) return { queryKeyValue: true, output: false };
  if (family === 'chatglm') {
    return {
      queryKeyValue: read.flag('add_qkv_bias') || read.flag('add_bias_linear'),
      output: read.flag('add_bias_linear'),
    };
  }
  const bias = read.flag('attention_bias');
  return { queryKeyValue: bias, output: bias && !family.startsWith('glm') };
}

function expertsOf(read: ConfigFields, family: string, layers: number): Experts | null {
  const experts = read.count('n_routed_experts', 'num_experts', 'num_local_experts') ?? 0;
  if (experts <= 1) return null;
  const width = read.optional('moe_intermediate_size', 'intermediate_size') ?? 1;
  const sharedCount = read.count('n_shared_experts') ?? 0;
  const qwen2Shared = family === 'qwen2_moe';
  return {
    experts,
    expertsPerToken: read.needed(
      { en: 'experts one token uses', zh: '每个 token 激活的专家数' },
      'num_experts_per_tok',
    ),
    intermediateSize: width,
    sharedIntermediateSize: read.count('shared_expert_intermediate_size') ?? sharedCount * width,
    sharedGate: qwen2Shared,
    routerBias: read.text('topk_method') === 'noaux_tc',
    layers: expertLayersOf(read, layers),
  };
}

function expertLayersOf(read: ConfigFields, layers: number): number {
  const denseFirst = read.count('first_k_dense_replace') ?? 0;
  const every = read.optional('moe_layer_freq') ?? 1;
  const sparseStep = read.optional('decoder_sparse_step') ?? 1;
  const listed = read.raw('mlp_only_layers');
  const dense = new Set(Array.isArray(listed) ? listed : []);
  let count = 0;
  for (let layer = 0; layer < Math.min(layers, 100_000); layer++) {
    if (layer >= denseFirst && layer % every === 0 && (layer + 1) % sparseStep === 0 && !dense.has(layer)) count++;
  }
  return count;
}

function slidingOf(read: ConfigFields, family: string, layers: number): ModelShape['sliding'] {
  const windowTokens = read.optional('sliding_window');
  const types = read.raw('layer_types');
  if (windowTokens === null || read.raw('use_sliding_window') === false) return null;
  if (Array.isArray(types)) {
    const count = types.filter((t) => t === 'sliding_attention').length;
    return count === 0 ? null : { windowTokens, layers: count };
  }
  // Qwen's files carry a window that is off unless use_sliding_window says so.
  if (family.startsWith('qwen') && read.raw('use_sliding_window') !== true) return null;
  const from = family.startsWith('qwen') ? (read.count('max_window_layers') ?? 0) : 0;
  return layers > from ? { windowTokens, layers: layers - from } : null;
}

function quantizationOf(read: ConfigFields): WeightQuantization | null {
  const config = read.raw('quantization_config');
  if (!isObject(config)) {
    const word = read.text('quantize', 'quantization');
    const format = word === null ? null : numberFormatOf(word);
    return format === null ? null : { format, method: word!, groupSize: null };
  }
  const method = String(own(config, 'quant_method') ?? 'unknown').slice(0, 40);
  const bits = own(config, 'bits') ?? own(config, 'w_bit');
  const block = own(config, 'weight_block_size');
  if (method === 'fp8') {
    const groupSize = Array.isArray(block) ? block.reduce((all: number, n) => all * Number(n), 1) : null;
    return { format: 'fp8', method, groupSize };
  }
  if (method === 'compressed-tensors') return compressedOf(config, method);
  const size = own(config, 'group_size');
  const groupSize = typeof size === 'number' && size > 0 ? size : null;
  if (bits === 4) return { format: 'int4', method, groupSize };
  if (bits === 8) return { format: 'int8', method, groupSize };
  const format = numberFormatOf(method);
  return format === null ? null : { format, method, groupSize };
}

function compressedOf(config: Record<string, unknown>, method: string): WeightQuantization | null {
  const groups = own(config, 'config_groups');
  const first = isObject(groups) ? Object.values(groups).find(isObject) : undefined;
  const weights = first === undefined ? undefined : own(first, 'weights');
  if (!isObject(weights)) return null;
  const bits = own(weights, 'num_bits');
  const size = own(weights, 'group_size');
  const groupSize = typeof size === 'number' && size > 0 ? size : null;
  const float = own(weights, 'type') === 'float';
  if (bits === 8) return { format: float ? 'fp8' : 'int8', method, groupSize };
  return bits === 4 ? { format: float ? 'fp4' : 'int4', method, groupSize } : null;
}

function own(record: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

function pick(record: Record<string, unknown>, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(keys.filter((key) => Object.hasOwn(record, key)).map((key) => [key, record[key]]));
}
