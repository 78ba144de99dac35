import type { Phrase } from '../../core/index.ts';

/** Where one dataset lies on a hub. */
export interface HubFile {
  hub: 'modelscope' | 'huggingface';
  /** owner/name. */
  repo: string;
  file: string;
}

/** A dataset that `dyno dataset get` can fetch. */
export interface KnownDataset {
  about: Phrase;
  /** Name of the file on disk. */
  saveAs: string;
  /** How to ask it, with FILE for its path. */
  use: string;
  places: readonly HubFile[];
}

/** Hosts of the hubs; a mirror takes a host's place. */
export const hubHosts = {
  modelscope: 'https://modelscope.cn',
  huggingface: 'https://huggingface.co',
} as const;

/** Every dataset that can be fetched by name. */
export const knownDatasets: Readonly<Record<string, KnownDataset>> = {
  'hc3-chinese': {
    about: { en: 'HC3-Chinese open questions', zh: 'HC3-Chinese 开放问答' },
    saveAs: 'open_qa.jsonl',
    use: '--dataset openqa:FILE',
    places: [
      { hub: 'modelscope', repo: 'AI-ModelScope/HC3-Chinese', file: 'open_qa.jsonl' },
      { hub: 'huggingface', repo: 'Hello-SimpleAI/HC3-Chinese', file: 'open_qa.jsonl' },
    ],
  },
  'codefuse-evol': {
    about: { en: 'Codefuse-Evol-Instruct: programming tasks', zh: 'Codefuse-Evol-Instruct：编程问答' },
    saveAs: 'Codefuse-Evol-Instruct-Clean-data.jsonl',
    use: '--dataset openqa:FILE --field input',
    places: [{ hub: 'modelscope', repo: 'Banksy235/Codefuse-Evol-Instruct-Clean', file: 'data.json' }],
  },
  sharegpt: {
    about: { en: 'ShareGPT V3, as vLLM benchmarks use it', zh: 'ShareGPT V3（vLLM 基准测试所用）' },
    saveAs: 'ShareGPT_V3_unfiltered_cleaned_split.json',
    use: '--dataset sharegpt:FILE --tokenizer DIR',
    places: [
      {
        hub: 'modelscope',
        repo: 'gliang1001/ShareGPT_V3_unfiltered_cleaned_split',
        file: 'ShareGPT_V3_unfiltered_cleaned_split.json',
      },
      {
        hub: 'huggingface',
        repo: 'anon8231489123/ShareGPT_Vicuna_unfiltered',
        file: 'ShareGPT_V3_unfiltered_cleaned_split.json',
      },
    ],
  },
  gsm8k: {
    about: { en: 'GSM8K test questions with answers', zh: 'GSM8K 测试题（含答案）' },
    saveAs: 'gsm8k-test.parquet',
    use: '--dataset gsm8k:FILE',
    places: [{ hub: 'huggingface', repo: 'openai/gsm8k', file: 'main/test-00000-of-00001.parquet' }],
  },
  longalpaca: {
    about: { en: 'LongAlpaca-12k: prompts of thousands of tokens', zh: 'LongAlpaca-12k：长提示词' },
    saveAs: 'LongAlpaca-12k.json',
    use: '--dataset longalpaca:FILE',
    places: [
      { hub: 'modelscope', repo: 'AI-ModelScope/LongAlpaca-12k', file: 'LongAlpaca-12k.json' },
      { hub: 'huggingface', repo: 'Yukang/LongAlpaca-12k', file: 'LongAlpaca-12k.json' },
    ],
  },
};

/** The address of a file on its hub, or on the mirror given. */
export function hubUrl({ hub, repo, file }: HubFile, mirror: string | null): string {
  const branch = hub === 'modelscope' ? 'master' : 'main';
  return `${(mirror ?? hubHosts[hub]).replace(/\/+$/, '')}/datasets/${repo}/resolve/${branch}/${file}`;
}
