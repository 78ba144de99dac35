import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { userError } from '../../core/index.ts';
import type { PlanSettings } from '../../lab/index.ts';
import type { ForeignWords } from '../../tools/index.ts';
import { badValue, requiredOf } from '../../tools/index.ts';
import { readDocument } from '../../lab/index.ts';

/** MindIE's dataset types in our typed, with the field that holds the prompt where it is not `question`. */
const types: Readonly<Record<string, { kind: string; field?: string }>> = {
  gsm8k: { kind: 'gsm8k' },
  boolq: { kind: 'openqa' },
  truthfulqa: { kind: 'openqa', field: 'Question' },
  humaneval: { kind: 'openqa', field: 'prompt' },
  oasst1: { kind: 'openqa', field: 'text' },
  ceval: { kind: 'openqa' },
  mmlu: { kind: 'openqa' },
};

/** The dataset that --DatasetType and --DatasetPath name; a folder stands for the test file in it. */
export function mindieDataset(typed: ForeignWords): {
  settings: Partial<PlanSettings>;
  source: string;
  /** How many prompts there are where they are made up and have no end of their own; null = as many as the file holds. */
  count: number | null;
} {
  const type = requiredOf(typed, '--DatasetType');
  if (type === 'synthetic') {
    const config = typed.last('--SyntheticConfigPath') ?? requiredOf(typed, '--DatasetPath');
    return { settings: { dataset: `synthetic:${config}` }, source: config, count: requestCount(config) ?? 1000 };
  }
  const known = Object.hasOwn(types, type) ? types[type]! : null;
  if (known === null) {
    const names = [...Object.keys(types), 'synthetic'];
    throw badValue('--DatasetType', type, `one of: ${names.join(', ')}`, `以下之一：${names.join('、')}`);
  }
  const path = requiredOf(typed, '--DatasetPath');
  return {
    settings: { dataset: `${known.kind}:${dataFile(path)}`, ...(known.field !== undefined && { field: known.field }) },
    source: path,
    count: null,
  };
}

/** RequestCount of a synthetic config; what is wrong with the file is told by whoever reads its lengths. */
function requestCount(path: string): number | null {
  try {
    const config = JSON.parse(readDocument(path)) as { RequestCount?: unknown } | null;
    const count = config?.RequestCount;
    return typeof count === 'number' && Number.isSafeInteger(count) && count > 0 ? count : null;
  } catch {
    return null;
  }
}

/** The file that a path means: itself, or of a folder the first that looks like data, a test split before others. */
function dataFile(path: string): string {
  let found;
  try {
    found = statSync(path);
  } catch {
    return path;
  }
  if (!found.isDirectory()) return path;
  const files = readdirSync(path, { recursive: true, withFileTypes: true })
    .filter(
      (entry) => entry.isFile() && /\.(jsonl?|csv|parquet)$/i.test(entry.name) && !/config|info/i.test(entry.name),
    )
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
  const file = files.find((name) => /test/i.test(name.slice(path.length))) ?? files[0];
  if (file !== undefined) return file;
  throw userError(
    'no-data-file',
    `${path} holds no .jsonl, .json, .csv or .parquet`,
    `${path} 中没有 .jsonl、.json、.csv 或 .parquet 文件`,
    'Name the file itself.',
    '请直接给出文件。',
    '--DatasetPath',
  );
}
