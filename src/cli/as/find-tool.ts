import { basename } from 'node:path';
import { UserError } from '../../core/index.ts';
import type { Given } from '../command.ts';
import type { ForeignTable } from './foreign-flags.ts';
import { evalscope } from './evalscope.ts';
import { evalscopeFlags } from './evalscope-flags.ts';
import { mindieFlags } from './mindie-flags.ts';
import { mindieBenchmark } from './mindie.ts';
import { vllmServeFlags } from './vllm-flags.ts';
import { benchmarkServing, vllmServe } from './vllm-serve.ts';
import { evalscopePerf, evalscopePerfFlags } from './evalscope-perf.ts';

/** A tool whose command lines are understood. */
export interface ForeignTool {
  /** The words that call it. */
  called: readonly string[];
  table: ForeignTable;
  run(words: readonly string[], given: Given): Promise<number>;
}

/** Every tool, by the words that call it; adding one is a file and a line here. */
export const foreignTools: readonly ForeignTool[] = [
  { called: ['evalscope-perf'], table: evalscopePerfFlags, run: evalscopePerf },
  { called: ['evalscope', 'perf'], table: evalscopeFlags, run: evalscope },
  { called: ['vllm', 'bench', 'serve'], table: vllmServeFlags, run: vllmServe },
  { called: ['benchmark_serving.py'], table: vllmServeFlags, run: benchmarkServing },
  { called: ['benchmark'], table: mindieFlags, run: mindieBenchmark },
];

/** The tool that a command line calls and the words that are its own; python and a path before the name are passed over. */
export function findTool(words: readonly string[]): { tool: ForeignTool; rest: readonly string[] } {
  let at = 0;
  while (at < words.length && /^[A-Za-z_][A-Za-z0-9_]*=/.test(words[at]!)) at++;
  if (/^python(\d+(\.\d+)?)?$/.test(basename(words[at] ?? ''))) {
    at++;
    if (words[at] === '-u') at++;
    if (words[at] === '-m') at++;
  }
  const named = [basename(words[at] ?? ''), ...words.slice(at + 1)];
  for (const tool of foreignTools) {
    if (tool.called.every((word, i) => named[i] === word)) return { tool, rest: named.slice(tool.called.length) };
  }
  throw unknownTool(words.slice(0, 3).join(' '));
}

function unknownTool(words: string): UserError {
  const known = [...new Set(foreignTools.map(({ called }) => called.join(' ')))].join(', ');
  return new UserError({
    code: 'foreign-tool-unknown',
    message: { en: `"${words}" is no command that dyno as understands`, zh: `dyno as 不认识命令 "${words}"` },
    hint: { en: `It takes the command lines of: ${known}.`, zh: `支持的命令：${known}。` },
  });
}
