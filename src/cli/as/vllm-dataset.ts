import type { LengthLaw } from '../../core/index.ts';
import type { PlanSettings } from '../../lab/index.ts';
import { userError } from '../../core/index.ts';
import type { ForeignWords } from '../../tools/index.ts';
import { badValue, jsonOf, realIn, wholeOf } from '../../tools/index.ts';

/** The dataset that a command of vLLM's benchmark names. */
export interface VllmDataset {
  settings: Partial<PlanSettings>;
  /** Answers have the length asked for whatever the model says. */
  forcesLength: boolean;
}

const names = ['random', 'sharegpt', 'custom', 'burstgpt', 'prefix_repetition'];

/** Reads --dataset-name and what belongs to it; `tokenizer` finds the folder that was named, or one that estimates. */
export function vllmDataset(
  typed: ForeignWords,
  dialect: 'now' | '2025',
  tokenizer: (named: string | undefined) => string,
): VllmDataset {
  const old = typed.last('--dataset');
  const name =
    typed.last('--dataset-name') ?? (old === undefined ? (dialect === 'now' ? 'random' : 'sharegpt') : 'sharegpt');
  const path = typed.last('--dataset-path') ?? old;
  const named = typed.last('--tokenizer') ?? typed.last('--model');
  const output =
    wholeOf(typed, `--${name === 'prefix_repetition' ? 'prefix-repetition' : name}-output-len`, 1) ??
    wholeOf(typed, '--output-len', 1);
  switch (name) {
    case 'sharegpt':
      return {
        settings: {
          dataset: `sharegpt:${needed(path, name)}`,
          tokenizer: tokenizer(named),
          ...(!typed.has('--disable-shuffle') && { shuffle: true }),
          ...(output !== undefined && { outputTokens: { law: 'fixed', tokens: output } }),
        },
        forcesLength: false,
      };
    case 'random':
      return {
        settings: randomSettings(typed, dialect, output ?? 128, named === undefined ? null : tokenizer(named)),
        forcesLength: true,
      };
    case 'custom':
      return {
        settings: {
          dataset: `openqa:${needed(path, name)}`,
          field: 'prompt',
          ...(!typed.has('--disable-shuffle') && { shuffle: true }),
          outputTokens: { law: 'fixed', tokens: output ?? 256 },
        },
        forcesLength: false,
      };
    case 'burstgpt':
      return { settings: { dataset: `burstgpt:${needed(path, name)}` }, forcesLength: false };
    case 'prefix_repetition': {
      const of = (part: string, fallback: number): number =>
        wholeOf(typed, `--prefix-repetition-${part}`, 1) ?? fallback;
      return {
        settings: {
          dataset: `shared-prefix:groups=${of('num-prefixes', 10)},prefix=${of('prefix-len', 256)}`,
          inputTokens: { law: 'fixed', tokens: of('suffix-len', 256) },
          outputTokens: { law: 'fixed', tokens: output ?? 128 },
        },
        forcesLength: true,
      };
    }
    default:
      throw badValue('--dataset-name', name, `one of: ${names.join(', ')}`, `以下之一：${names.join('、')}`);
  }
}

function randomSettings(
  typed: ForeignWords,
  dialect: 'now' | '2025',
  output: number,
  tokenizer: string | null,
): Partial<PlanSettings> {
  const input = wholeOf(typed, '--random-input-len', 1) ?? wholeOf(typed, '--input-len', 1) ?? 1024;
  const prefix = wholeOf(typed, '--random-prefix-len') ?? 0;
  const ratio = ratioOf(typed, dialect);
  return {
    dataset: prefix > 0 ? `shared-prefix:groups=1,prefix=${prefix}` : 'random',
    inputTokens: lengths(input, ratio.input, dialect),
    outputTokens: lengths(output, ratio.output, dialect),
    ...(tokenizer !== null && { tokenizer }),
  };
}

/** Since April 2025 a range of r is L(1−r)…L(1+r) and 0 by default; before, L·r…L and 1. */
function lengths(tokens: number, ratio: number, dialect: 'now' | '2025'): LengthLaw {
  const [min, max] =
    dialect === 'now'
      ? [Math.floor(tokens * (1 - ratio)), Math.ceil(tokens * (1 + ratio))]
      : [Math.floor(tokens * ratio), tokens];
  return min >= max ? { law: 'fixed', tokens: Math.max(1, max) } : { law: 'uniform', min: Math.max(1, min), max };
}

function ratioOf(typed: ForeignWords, dialect: 'now' | '2025'): { input: number; output: number } {
  const flag = '--random-range-ratio';
  const text = typed.last(flag) ?? (dialect === 'now' ? '0' : '1');
  const one = (value: unknown): number => {
    const ratio = realIn(String(value), flag, 0);
    if (ratio > 1) throw badValue(flag, String(value), 'between 0 and 1', '0 到 1 之间的数');
    return ratio;
  };
  if (!text.trimStart().startsWith('{')) return { input: one(text), output: one(text) };
  const both = jsonOf(text, flag);
  return { input: one(both['input'] ?? 0), output: one(both['output'] ?? 0) };
}

function needed(path: string | undefined, name: string): string {
  if (path !== undefined) return path;
  throw userError(
    'foreign-flag-missing',
    `--dataset-name ${name} needs a file`,
    `--dataset-name ${name} 需要文件`,
    'Add --dataset-path FILE; nothing is downloaded here.',
    '请加上 --dataset-path 文件；此处不下载数据集。',
    '--dataset-path',
  );
}
