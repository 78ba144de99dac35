import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { UserError } from '../../core/index.ts';
import {
  evalscopeFlags,
  mindieFlags,
  pairsOf,
  readForeign,
  realOf,
  truthOf,
  vllmServeFlags,
  wholesOf,
} from '../../tools/index.ts';
import { findTool, foreignTools } from './find-tool.ts';

const codes = (act: () => unknown): string[] => {
  try {
    act();
  } catch (error) {
    if (error instanceof UserError)
      return error.mistakes.map(({ code, place }) => `${code} ${place?.flag ?? ''}`.trim());
    throw error;
  }
  return [];
};

describe("another tool's words", () => {
  test('a value behind a blank or an equals sign, several values, repeated flags', () => {
    const words = readForeign(evalscopeFlags, [
      '--read-timeout=120',
      '--parallel',
      '1',
      '8',
      '-n',
      '50',
      '--headers',
      'a=b',
      'c=d=e',
    ]);
    expect(words.last('--read-timeout')).toBe('120');
    expect(wholesOf(words, '--parallel')).toEqual([1, 8]);
    expect(words.last('--number')).toBe('50');
    expect(pairsOf(words, '--headers')).toEqual([
      ['a', 'b'],
      ['c', 'd=e'],
    ]);
  });

  test('a negative number is a value, underscores are dashes, a unique beginning is enough', () => {
    expect(readForeign(evalscopeFlags, ['--rate', '-1']).last('--rate')).toBe('-1');
    expect(readForeign(vllmServeFlags, ['--dataset_name', 'random']).last('--dataset-name')).toBe('random');
    expect(readForeign(vllmServeFlags, ['--max-conc', '3']).last('--max-concurrency')).toBe('3');
  });

  test('what makes no sense here is collected, what is unknown or refused is told all at once', () => {
    expect(readForeign(evalscopeFlags, ['--debug', '--num-workers', '4']).ignored).toEqual([
      '--debug',
      '--num-workers',
    ]);
    expect(codes(() => readForeign(evalscopeFlags, ['--paralel', '3', '--sla-auto-tune', '--url']))).toEqual([
      'foreign-flag-unknown --paralel',
      'foreign-flag-refused --sla-auto-tune',
      'foreign-flag-empty --url',
      'foreign-argument-unknown',
    ]);
  });

  test('numbers, inf and truths as Python writes them', () => {
    const words = readForeign(vllmServeFlags, ['--request-rate', 'inf', '--burstiness', '0.5']);
    expect(realOf(words, '--request-rate')).toBe(Infinity);
    expect(realOf(words, '--burstiness')).toBe(0.5);
    expect(truthOf(readForeign(mindieFlags, ['--Tokenizer', 'True']), '--Tokenizer')).toBe(true);
    expect(codes(() => truthOf(readForeign(mindieFlags, ['--Tokenizer', 'maybe']), '--Tokenizer'))).toEqual([
      'foreign-value --Tokenizer',
    ]);
  });
});

describe('the tool that a command line calls', () => {
  test.each([
    ['evalscope-perf http://h m d', 'evalscope-perf', 3],
    ['evalscope perf --model m', 'evalscope perf', 2],
    ['vllm bench serve --model m', 'vllm bench serve', 2],
    ['/usr/bin/python3.11 /opt/vllm/benchmarks/benchmark_serving.py --model m', 'benchmark_serving.py', 2],
    ['CUDA_VISIBLE_DEVICES=0 python -u ./benchmark_serving.py --dataset f', 'benchmark_serving.py', 2],
    ['benchmark --ModelName m', 'benchmark', 2],
    ['/usr/local/bin/benchmark --ModelName m', 'benchmark', 2],
  ])('%s', (line, called, left) => {
    const { tool, rest } = findTool(line.split(' '));
    expect(tool.called.join(' ')).toBe(called);
    expect(rest).toHaveLength(left);
  });

  test('anything else is a mistake that names what is known', () => {
    expect(codes(() => findTool(['wrk', '-c', '10']))).toEqual(['foreign-tool-unknown']);
  });

  test('no flag stands in two lists of a table', () => {
    for (const { table } of foreignTools) {
      const names = [
        ...Object.keys(table.supported),
        ...Object.keys(table.ignored ?? {}),
        ...Object.keys(table.rejected ?? {}),
      ];
      expect(new Set(names).size).toBe(names.length);
    }
  });
});

describe('commands as pages print them', () => {
  const rest = (line: string): readonly string[] => findTool(line.split(' ')).rest;

  test('typographic quotes, long dashes and a stray blank are put right', () => {
    expect(
      rest('evalscope perf --model “qwen” --stop ‘<|im_end|>’ –-parallel 4 —number 2 --read-timeout=“120”'),
    ).toEqual(['--model', 'qwen', '--stop', '<|im_end|>', '--parallel', '4', '--number', '2', '--read-timeout=120']);
    // `\\ ` at the end of a line is a blank for the shell.
    expect(findTool(['evalscope', 'perf', ' ', '--model', 'a']).rest).toEqual(['--model', 'a']);
    // An empty value is one (MindIE's --RequestRate "").
    expect(findTool(['benchmark', '--RequestRate', '']).rest).toEqual(['--RequestRate', '']);
    // What is inside a value stays.
    expect(rest('evalscope perf --prompt 他说“你好”')).toEqual(['--prompt', '他说“你好”']);
  });

  test('what stands before the tool is passed over', () => {
    expect(rest('$ CUDA_VISIBLE_DEVICES=0,1 nohup python3 -u ./benchmarks/benchmark_serving.py --model m')).toEqual([
      '--model',
      'm',
    ]);
    expect(rest('numactl -N0 -m0 evalscope-perf URL m f')).toEqual(['URL', 'm', 'f']);
    expect(rest('time numactl --cpunodebind=0,1 --membind=0,1 vllm bench serve --model m')).toEqual(['--model', 'm']);
  });
});

test.each([
  ['vllm-0.32-flags.txt', vllmServeFlags],
  ['evalscope-1.14.1-flags.txt', evalscopeFlags],
])(
  'every flag of %s, as the tool itself lists them, is obeyed, taken without effect, or refused by name',
  (file, table) => {
    const theirs = readFileSync(join(import.meta.dirname, '../../../test/fixtures/cli', file), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('-'));
    expect(theirs.length).toBeGreaterThan(80);
    const known = { ...table.supported, ...table.ignored, ...table.rejected, ...table.alias };
    expect(theirs.filter((flag) => !Object.hasOwn(known, flag))).toEqual([]);
  },
);
