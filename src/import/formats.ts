import { aisbenchText } from './formats/aisbench-text.ts';
import { chunkLog } from './formats/chunk-log.ts';
import { evalscopeText } from './formats/evalscope-text.ts';
import { mindieText } from './formats/mindie-text.ts';
import { servingText } from './formats/serving-text.ts';
import { vllm2023Text } from './formats/vllm-2023-text.ts';
import type { TextFormat } from './text-format.ts';

/** Words of `--format`; each names the tools whose files it admits. */
export const formatNames = [
  'auto',
  'evalscope',
  'evalscope-perf',
  'vllm',
  'sglang',
  'mindie',
  'aisbench',
  'guidellm',
  'aiperf',
  'chunk-log',
  'markdown',
] as const;
export type FormatName = (typeof formatNames)[number];

/** Log blocks found in running text, one entry per kind. */
export const textFormats = {
  evalscope: [evalscopeText],
  'evalscope-perf': [evalscopeText],
  vllm: [servingText, vllm2023Text],
  sglang: [servingText],
  mindie: [mindieText],
  aisbench: [aisbenchText],
  guidellm: [],
  aiperf: [],
  'chunk-log': [chunkLog],
  markdown: [],
} as const satisfies Record<Exclude<FormatName, 'auto'>, readonly TextFormat[]>;

/** The kinds of block to look for under a `--format`. */
export function textFormatsFor(name: FormatName): TextFormat[] {
  return name === 'auto' ? [...new Set<TextFormat>(Object.values(textFormats).flat())] : [...textFormats[name]];
}
