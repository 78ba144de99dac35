/** What a running vLLM says of itself, in its log or on its metrics page; null = it did not say. */
export interface ServedSettings {
  maxNumSeqs: number | null;
  maxBatchedTokens: number | null;
  maxModelLen: number | null;
  kvTokens: number | null;
  memoryShare: number | null;
  enforceEager: boolean | null;
  prefixCaching: boolean | null;
  /** Processes that answer HTTP; a log that names no number means one. */
  apiServers: number | null;
}

/** Whether a text is a log of vLLM or a metrics page of one. */
export function isServedText(text: string): boolean {
  return /non-default args|Initializing a V\d LLM engine|^vllm:/m.test(text);
}

/** What the text says of the server it comes from; a later line wins, because a log holds one start after another. */
export function servedSettings(text: string): ServedSettings {
  const log = /non-default args|Initializing a V\d LLM engine/.test(text);
  return {
    maxNumSeqs: numberSaid(text, /\bmax_num_seqs['"]?\s*[=:]\s*"?(\d+)/g),
    maxBatchedTokens: numberSaid(text, /\bmax_num_batched_tokens['"]?\s*[=:]\s*"?(\d+)/g),
    maxModelLen: numberSaid(text, /\b(?:max_seq_len|max_model_len)['"]?\s*[=:]\s*"?(\d+)/g),
    kvTokens:
      numberSaid(text, /\bKV cache size:\s*(\d[\d,]*)\s*tokens/g) ??
      numberSaid(text, /\bkv_cache_size_tokens="(\d+)"/g),
    memoryShare: numberSaid(text, /\bgpu_memory_utilization['"]?\s*[=:]\s*"?(\d*\.?\d+)/g),
    enforceEager: flagSaid(text, /\benforce_eager['"]?\s*[=:]\s*"?(True|False)/g),
    prefixCaching: flagSaid(text, /\benable_prefix_caching['"]?\s*[=:]\s*"?(True|False)/g),
    apiServers: numberSaid(text, /\bapi_server_count['"]?\s*[=:]\s*(\d+)/g) ?? (log ? 1 : null),
  };
}

function numberSaid(text: string, pattern: RegExp): number | null {
  const value = Number([...text.matchAll(pattern)].at(-1)?.[1]?.replaceAll(',', ''));
  return Number.isFinite(value) && value > 0 ? value : null;
}

function flagSaid(text: string, pattern: RegExp): boolean | null {
  const word = [...text.matchAll(pattern)].at(-1)?.[1];
  return word === undefined ? null : word === 'True';
}
