import { basename } from 'node:path';
import { userError, UserError } from '../../core/index.ts';
import type { ParsedCommand } from '../command.ts';
import type { ForeignTable } from '../../tools/index.ts';
import { evalscope } from './evalscope.ts';
import { evalscopeFlags, mindieFlags, vllmServeFlags } from '../../tools/index.ts';
import { mindieBenchmark } from './mindie.ts';
import { benchmarkServing, vllmServe } from './vllm-serve.ts';
import { evalscopePerf, evalscopePerfFlags } from './evalscope-perf.ts';

/** A tool whose command lines are understood. */
export interface ForeignTool {
  /** The words that call it. */
  called: readonly string[];
  table: ForeignTable;
  run(argv: readonly string[], given: ParsedCommand): Promise<number>;
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
export function findTool(typed: readonly string[]): { tool: ForeignTool; rest: readonly string[] } {
  const words = tidied(typed);
  let at = 0;
  while (at < words.length && /^(\$|nohup|time|[A-Za-z_][A-Za-z0-9_]*=.*)$/s.test(words[at]!)) at++;
  // Binding to a NUMA node is for the client here, as it was there; the words of numactl all begin with a dash.
  if (basename(words[at] ?? '') === 'numactl')
    do at++;
    while (words[at]?.startsWith('-') === true);
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

/**
 * What pages and chat programs make of a command: typographic quotes around a word, dashes of other lengths before a flag,
 * a blank that stood behind a line's backslash.
 */
function tidied(typed: readonly string[]): string[] {
  return typed
    .filter((word) => word.trim() !== '' || word === '')
    .map((word) =>
      word.replace(/^[–—]{1,2}-?(?=[A-Za-z])/, '--').replace(/^(--[\w-]+=)?[“”‘’「]([^“”‘’「」]*)[“”‘’」]$/, '$1$2'),
    );
}

function unknownTool(words: string): UserError {
  const known = [...new Set(foreignTools.map(({ called }) => called.join(' ')))].join(', ');
  return userError(
    'foreign-tool-unknown',
    `"${words}" is no command that dyno as understands`,
    `dyno as 不认识命令 "${words}"`,
    `It takes the command lines of: ${known}.`,
    `支持的命令：${known}。`,
  );
}
