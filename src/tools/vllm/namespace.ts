import type { ForeignWords } from '../foreign-flags.ts';

type Kind = 'text' | 'whole' | 'real' | 'switch' | 'list';

/** Options of benchmark_serving.py early in 2025, in the order in which it printed them, with their defaults as Python writes them. */
const options: readonly (readonly [name: string, kind: Kind, usual: string])[] = [
  ['backend', 'text', "'vllm'"],
  ['base_url', 'text', 'None'],
  ['host', 'text', "'127.0.0.1'"],
  ['port', 'whole', '8000'],
  ['endpoint', 'text', "'/v1/completions'"],
  ['dataset', 'text', 'None'],
  ['dataset_name', 'text', "'sharegpt'"],
  ['dataset_path', 'text', 'None'],
  ['max_concurrency', 'whole', 'None'],
  ['model', 'text', 'None'],
  ['tokenizer', 'text', 'None'],
  ['best_of', 'whole', '1'],
  ['use_beam_search', 'switch', 'False'],
  ['num_prompts', 'whole', '1000'],
  ['logprobs', 'whole', 'None'],
  ['request_rate', 'real', 'inf'],
  ['burstiness', 'real', '1.0'],
  ['seed', 'whole', '0'],
  ['trust_remote_code', 'switch', 'False'],
  ['disable_tqdm', 'switch', 'False'],
  ['profile', 'switch', 'False'],
  ['save_result', 'switch', 'False'],
  ['metadata', 'list', 'None'],
  ['result_dir', 'text', 'None'],
  ['result_filename', 'text', 'None'],
  ['ignore_eos', 'switch', 'False'],
  ['percentile_metrics', 'text', "'ttft,tpot,itl'"],
  ['metric_percentiles', 'text', "'99'"],
  ['goodput', 'list', 'None'],
  ['sonnet_input_len', 'whole', '550'],
  ['sonnet_output_len', 'whole', '150'],
  ['sonnet_prefix_len', 'whole', '200'],
  ['sharegpt_output_len', 'whole', 'None'],
  ['random_input_len', 'whole', '1024'],
  ['random_output_len', 'whole', '128'],
  ['random_range_ratio', 'real', '1.0'],
  ['random_prefix_len', 'whole', '0'],
  ['hf_subset', 'text', 'None'],
  ['hf_split', 'text', 'None'],
  ['hf_output_len', 'whole', 'None'],
  ['tokenizer_mode', 'text', "'auto'"],
  ['served_model_name', 'text', 'None'],
  ['lora_modules', 'list', 'None'],
];

/** The line of all its options with which that script began. */
export function vllmNamespace(words: ForeignWords): string {
  const shown = options.map(([name, kind, usual]) => {
    const flag = `--${name.replaceAll('_', '-')}`;
    const typed = words.last(flag);
    if (kind === 'switch') return `${name}=${words.has(flag) ? 'True' : 'False'}`;
    if (typed === undefined) return `${name}=${usual}`;
    if (kind === 'list') return `${name}=[${(words.all(flag) ?? []).map(quoted).join(', ')}]`;
    return `${name}=${kind === 'text' ? quoted(typed) : kind === 'real' ? float(typed) : typed}`;
  });
  return `Namespace(${shown.join(', ')})\n`;
}

/** A text as Python writes it. */
function quoted(text: string): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\t', '\\t').replaceAll('\r', '\\r');
  return text.includes("'") && !text.includes('"') ? `"${escaped}"` : `'${escaped.replaceAll("'", "\\'")}'`;
}

function float(text: string): string {
  const value = Number(text);
  if (!Number.isFinite(value)) return 'inf';
  return Number.isInteger(value) ? `${value}.0` : String(value);
}
