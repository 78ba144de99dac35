import { describe, expect, test } from 'vitest';
import { evalscopePercentile } from '../index.ts';
import { readForeign } from '../foreign-flags.ts';
import type { ForeignTable } from '../foreign-flags.ts';
import { settleEvalscope } from '../evalscope/text-reader.ts';
import { statistics } from '../vllm/figures.ts';
import { summaryOf } from './draft-summary.ts';
import type { FactKey } from './fact-key.ts';
import { means } from './fact-key.ts';
import { lineImporter } from './import-lines.ts';
import { importJson } from './import-whole.ts';
import { joinFiles } from './join-files.ts';
import { PointDraft } from './point-draft.ts';
import { belongTogether, repeats, sameFigure } from './same-point.ts';

/** A draft in which a file says so much, in these digits. */
function draftOf(
  facts: Readonly<Partial<Record<FactKey, string | number>>>,
  from: 'block' | 'table' = 'block',
): PointDraft {
  const draft = new PointDraft('x', 1, from);
  for (const [key, digits] of Object.entries(facts))
    draft.put(means(key as FactKey), { value: Number(digits), digits: String(digits), line: 1 });
  return draft;
}

describe('where requests went, by what a file counts', () => {
  const counts = (facts: Readonly<Record<string, number>>): unknown => {
    const { planned, issued, ok, failed, cancelled, dropped, unaccounted } = summaryOf(
      draftOf(Object.fromEntries(Object.entries(facts).map(([key, n]) => [`counts.${key}`, n]))),
      'r',
      'f',
    ).counts;
    return [planned, issued, ok, failed, cancelled, dropped, unaccounted];
  };
  test.each([
    ['nothing', {}, [null, null, null, null, null, null, null]],
    ['what was planned', { planned: 9 }, [9, 9, null, null, null, null, null]],
    ['what ended and what failed: the rest was answered', { ended: 9, failed: 2 }, [9, 9, 7, 2, 0, 0, 0]],
    ['more failures than ended', { ended: 1, failed: 2 }, [1, 1, null, 2, 0, 0, null]],
    ['as many failures as ended', { ended: 2, failed: 2 }, [2, 2, 0, 2, 0, 0, 0]],
    ['answers alone', { ok: 7 }, [null, null, 7, null, 0, 0, null]],
    ['everything', { planned: 20, ok: 7, failed: 2, cancelled: 3, dropped: 4 }, [20, 16, 7, 2, 3, 4, 4]],
    ['all that was planned', { planned: 16, ok: 7, failed: 2, cancelled: 3, dropped: 4 }, [16, 12, 7, 2, 3, 4, 0]],
    ['more than was planned: the sum stays lawful', { planned: 5, ok: 7, failed: 2 }, [9, 9, 7, 2, 0, 0, 0]],
    ['no plan', { ok: 7, failed: 2 }, [9, 9, 7, 2, 0, 0, 0]],
  ] as const)('%s', (_, said, wanted) => {
    expect(counts(said)).toEqual(wanted);
  });
});

describe('a figure of a table and one of a log', () => {
  test.each([
    // Rounded to the nearest, or cut: never from the other side.
    ['1.25', '1.2451', true],
    ['1.25', '1.245', true],
    ['1.25', '1.2449', false],
    ['1.25', '1.255', true],
    ['1.25', '1.2599', true],
    ['1.25', '1.26', false],
    ['0', '0.9', true],
    ['0', '1', false],
    ['0', '-0.6', false],
  ])('%s and %s are the same: %s', (table, log, same) => {
    const of = (digits: string) => ({ value: Number(digits), digits });
    expect(sameFigure(of(table), of(log))).toBe(same);
    if (Number(table) === 0) return;
    // In another unit, too.
    const inMs = (digits: string) => ({ value: Number(digits) * 1000, digits });
    expect(sameFigure(inMs(table), inMs(log))).toBe(same);
  });
  test('tell of one test by their load, or by two figures where a table has none, and never of two models', () => {
    const log = draftOf({ 'load.concurrency': 8, requestsPerSec: '2.474', 'latencyMs.mean': '321.5' });
    const table = (facts: Readonly<Partial<Record<FactKey, string | number>>>, model: string | null = null) =>
      Object.assign(draftOf(facts, 'table'), { model });
    log.model = 'm';
    expect(
      [
        table({ 'load.concurrency': 8 }),
        table({ 'load.concurrency': 16, requestsPerSec: '2.474', 'latencyMs.mean': '321.5' }),
        table({ requestsPerSec: '2.474', 'latencyMs.mean': '321.5' }),
        table({ requestsPerSec: '2.474', 'latencyMs.mean': '322.5' }),
        table({ 'load.concurrency': 8 }, 'm'),
        table({ 'load.concurrency': 8 }, 'another'),
      ].map((one) => belongTogether(one, log)),
    ).toEqual([true, false, true, false, true, false]);
    // Two figures of three digits and no other one that differs.
    expect(
      [
        table({ requestsPerSec: '2.47', 'latencyMs.mean': '321.5' }),
        table({ requestsPerSec: '2.5', 'latencyMs.mean': '321.5' }),
        table({ requestsPerSec: '2.47', 'latencyMs.mean': '321.5', 'load.concurrency': 9 }),
        table({ requestsPerSec: '2.47', 'latencyMs.mean': '321.5', 'ttftMs.mean': '9' }),
      ].map((one) => repeats(one, log)),
    ).toEqual([true, false, false, true]);
  });
});

test('a text is a figure in a unit that it can have; -1 says nothing, below zero is a mistake', () => {
  const complaints: string[] = [];
  const of = (key: FactKey, text: string): unknown => {
    const draft = new PointDraft('x', 1);
    draft.putText(means(key, 10), text, 3, (line, { en }) => complaints.push(`${line} ${en}`));
    return draft.get(key);
  };
  expect([
    of('ttftMs.mean', '2'),
    of('ttftMs.mean', '2 s'),
    of('ttftMs.mean', '2ms'),
    of('ttftMs.mean', '2 秒'),
  ]).toEqual([20, 2000, 2, 2000]);
  expect([
    of('requestsPerSec', '2 req/s'),
    of('outputTokensPerSec', '2 token/s'),
    of('counts.ok', '13 (1.3%)'),
  ]).toEqual([20, 20, 130]);
  expect([of('ttftMs.mean', '-1'), of('ttftMs.mean', '-1000'), of('ttftMs.mean', 'N/A')]).toEqual([null, null, null]);
  expect(complaints).toEqual([]);
  expect([
    of('ttftMs.mean', '-2'),
    of('counts.ok', '2 s'),
    of('ttftMs.mean', '2 req/s'),
    of('ttftMs.mean', '1e999'),
  ]).toEqual([null, null, null, null]);
  expect(complaints).toHaveLength(4);
  expect(complaints[0]).toBe('3 ttftMs.mean: not a usable number: "-2"');
});

describe('whether evalscope’s answers were streamed', () => {
  const of = (facts: Readonly<Partial<Record<FactKey, string | number>>>): unknown[] => {
    const draft = draftOf(facts);
    settleEvalscope(draft);
    return [draft.kind, draft.stream, [...draft.misnamed].join()];
  };
  const times = 'ttftMs,tpotMs,itlMs';
  test.each([
    ['nothing said', {}, [null, null, '']],
    ['streams counted', { 'load.concurrency': 8, 'server.streamRequests': 1 }, ['closed', true, '']],
    [
      'none counted',
      { 'load.ratePerSec': 8, 'server.streamRequests': 0, 'server.nonStreamRequests': 9 },
      ['open', false, times],
    ],
    ['two packages', { 'server.packagesPerRequest': 2 }, [null, true, '']],
    ['one package', { 'server.packagesPerRequest': 1 }, [null, false, times]],
    ['a first token well before the end', { 'ttftMs.mean': 97, 'latencyMs.mean': 100 }, [null, true, '']],
    ['a first token next to the end', { 'ttftMs.mean': 98, 'latencyMs.mean': 100 }, [null, null, '']],
    // 100 tokens a second are 10 ms each over the wall, and an answer of 20 took 1 s: nobody saw 10 ms.
    [
      'the inverse of the throughput',
      {
        'server.packagesPerRequest': 9,
        'tpotMs.mean': 10,
        outputTokensPerSec: 100,
        'latencyMs.mean': 1000,
        'outputTokens.mean': 20,
      },
      [null, true, 'tpotMs'],
    ],
    [
      'a time that requests saw',
      {
        'server.packagesPerRequest': 9,
        'tpotMs.mean': 10,
        outputTokensPerSec: 100,
        'latencyMs.mean': 400,
        'outputTokens.mean': 20,
      },
      [null, true, ''],
    ],
    [
      'another time than the inverse',
      {
        'server.packagesPerRequest': 9,
        'tpotMs.mean': 10.02,
        outputTokensPerSec: 100,
        'latencyMs.mean': 1000,
        'outputTokens.mean': 20,
      },
      [null, true, ''],
    ],
  ] as const)('%s', (_, facts, wanted) => {
    expect(of(facts)).toEqual(wanted);
  });
});

describe('the command line of another tool', () => {
  const table: ForeignTable = {
    tool: 'bench',
    supported: { '--rate': 'one', '--tags': 'some', '--more': 'any', '--quick': 'nothing' },
    ignored: { '--seedling': 'one' },
    rejected: { '--seed': { en: 'Use --seeds.', zh: '用 --seeds。' } },
    alias: { '-r': '--rate' },
    positional: ['url'],
  };
  const mistakes = (...words: string[]): unknown => {
    try {
      const read = readForeign(table, words);
      return [read.args, read.ignored, ['--rate', '--tags', '--more', '--quick'].map((flag) => read.all(flag))];
    } catch (error) {
      return (error as { mistakes: { code: string; place?: { flag?: string } }[] }).mistakes.map(
        ({ code, place }) => `${code} ${place?.flag ?? ''}`,
      );
    }
  };
  test.each([
    ['u', [['u'], [], [undefined, undefined, undefined, undefined]]],
    ['u -r 1 --rate=2=3 --quick', [['u'], [], [['1', '2=3'], undefined, undefined, []]]],
    ['--tags a b --more u', ['foreign-argument-missing ']],
    ['--tags a b --quick u --more', [['u'], [], [undefined, ['a', 'b'], [], []]]],
    ['u --ta a --seedl -5', [['u'], ['--seedling'], [undefined, ['a'], undefined, undefined]]],
    ['u --rate', ['foreign-flag-empty --rate']],
    ['u --rate --quick', ['foreign-flag-empty --rate']],
    ['u --tags --quick', ['foreign-flag-empty --tags']],
    ['u --seed 1', ['foreign-flag-refused --seed', 'foreign-argument-unknown ']],
    ['u --zzz', ['foreign-flag-unknown --zzz']],
    // Two flags begin so, and a short one is written out.
    ['u --', [['u', '--'], [], []]],
    ['u -z', ['foreign-flag-unknown -z']],
  ] as const)('%s', (line, wanted) => {
    const told = mistakes(...line.split(' '));
    if (line === 'u --') expect(told).toEqual(['foreign-argument-unknown ']);
    else expect(told).toEqual(wanted);
  });
});

test('a table of names that nobody knows is told by its first eight, each by thirty characters', () => {
  const importer = lineImporter('x.md');
  const names = Array.from({ length: 9 }, (_, i) => 'abcdefghi'[i]!.repeat(40));
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  for (const line of [
    row(names),
    row(names.map(() => '---')),
    row(names.map(() => '1.5')),
    row(names.map(() => '2.5')),
  ])
    importer.line(line);
  const [problem] = importer.end().problems;
  expect(problem!.message.split(': ')[1]).toBe(
    names
      .slice(0, 8)
      .map((name) => name.slice(0, 30))
      .join(', '),
  );
});

test('MindIE’s file of requests gives what each of them has, worked out by hand', () => {
  const read = (requests: Readonly<Record<string, unknown>>) =>
    joinFiles([importJson(JSON.stringify(requests), 'results_per_request_1.json')]).sweeps[0]?.points[0];
  const point = read({
    a: { req_latency: 1000, latency: [400, 200, 400], input_len: 10, output_len: 4 },
    b: { req_latency: 500, latency: [500], input_len: 30, output_len: 1 },
    c: { req_latency: 0, latency: [0], output_len: 2 },
    d: { req_latency: null, latency: [9] },
    e: { req_latency: 9, latency: [] },
    f: { req_latency: 2500, latency: [1500] },
  });
  expect(point).toMatchObject({
    counts: { ok: 4 },
    load: { stream: true },
    latencyMs: { mean: 1000, max: 2500 },
    ttftMs: { mean: 600 },
    itlMs: { mean: 300 },
    // 600 / 3 and 0 / 1.
    tpotMs: { mean: 100 },
    inputTokens: { mean: 20 },
    outputTokens: { mean: 7 / 3 },
    // 4 and 2 a second; one of no time has none.
    userTokensPerSec: { mean: 3 },
  });
  expect(read({ a: { req_latency: 5, latency: [5] } })?.load.stream).toBeNull();
});

test('vLLM’s mean, median, spread and percentiles of a list, and of none', () => {
  expect(statistics([1, 2, 3, 6], [0, 50, 100])).toEqual({
    mean: 3,
    median: 2.5,
    deviation: Math.sqrt(3.5),
    at: [1, 2.5, 6],
  });
  expect(statistics([], [50])).toEqual({ mean: 0, median: 0, deviation: 0, at: [0] });
  expect(evalscopePercentile([5], 0)).toBe(5);
});
