import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyExchange, exchange } from '../../../test/fixtures/measure/exchanges.ts';
import { summaryOf } from '../../../test/fixtures/store/runs.ts';
import type { Distribution, Summary, Sweep } from '../../core/index.ts';
import { reporters } from '../../lab/index.ts';

const fixture = (name: string): Promise<string> =>
  readFile(fileURLToPath(new URL(`../../../test/fixtures/report/${name}`, import.meta.url)), 'utf8');

const none = { mean: null, min: null, max: null, p50: null, p66: null, p75: null, p80: null, p90: null } as const;
const unknownDistribution: Distribution = { ...none, p95: null, p98: null, p99: null, n: 1000 };

/** A point as an import of the fixture's log gives it. */
function imported(concurrency: number, change: Partial<Summary>, printed: Record<string, string>): Summary {
  return summaryOf([], {
    source: { tool: 'evalscope', file: 'log.txt' },
    load: { kind: 'closed', concurrency, ratePerSec: null, stream: false },
    counts: {
      planned: 1000,
      issued: 1000,
      ok: 1000,
      failed: 0,
      cancelled: 0,
      dropped: 0,
      unaccounted: 0,
      byProblem: {},
    },
    printed,
    ...change,
  });
}

function sweepOf(points: Summary[], title: string | null = null): Sweep {
  return { schema: 'llmdyno.sweep/1', id: 'sweep-1', title, variable: 'concurrency', points, findings: [] };
}

const measured = summaryOf(
  [
    exchange({ seq: 0 }),
    exchange({ seq: 1, sentMs: 20, chunks: { atMs: [120, 220], tokens: [1, 1], kinds: 'aa' }, endMs: 1900 }),
    exchange({ seq: 2, outcome: 'failed', problem: { code: 'reset', status: null, words: null } }),
  ],
  { label: '夜间 test', model: 'qwen2-72b' },
);

describe('the evalscope dialect', () => {
  const seconds = {
    p50: 3246.1,
    p66: 3758.7,
    p75: 4221.3,
    p80: 4420.8,
    p90: 4977.1,
    p95: 5646,
    p98: 6367.8,
    p99: 6854.5,
  };
  const latency: Distribution = { ...unknownDistribution, ...seconds, mean: 3213 };
  const point = imported(
    8,
    {
      durationMs: 404_284,
      requestsPerSec: 2.474,
      latencyMs: latency,
      ttftMs: latency,
      outputTokensPerSec: 594.929,
      inputTokens: { ...unknownDistribution, mean: 40.296 },
      outputTokens: { ...unknownDistribution, mean: 240.52 },
    },
    {},
  );

  it('gives a published block back to the letter', async () => {
    expect(reporters.evalscope(point, { lang: 'zh' })).toBe(await fixture('evalscope-0.5-parallel-8.txt'));
  });

  it('law: a reader that takes the figures by their labels finds what the summary says, and nothing that it does not', () => {
    const find = (block: string, label: string): number | null => {
      const line = new RegExp(`^ ${label.replaceAll(/[()]/g, '\\$&')}: ([\\d.]+)(?: seconds)?$`, 'm').exec(block);
      return line === null ? null : Number(line[1]);
    };
    fc.assert(
      fc.property(fc.array(anyExchange, { minLength: 1, maxLength: 15 }), (exchanges) => {
        const summary = summaryOf(exchanges);
        const block = reporters.evalscope(summary, { lang: 'en' });
        const close = (label: string, value: number | null | undefined, digits = 3): void => {
          if (value === null || value === undefined) expect(find(block, label)).toBeNull();
          else expect(find(block, label)).toBeCloseTo(value, digits - 0.5);
        };
        close('Average QPS', summary.requestsPerSec);
        close('Average latency', summary.latencyMs === null ? null : summary.latencyMs.mean! / 1000);
        close('Throughput(average output tokens per second)', summary.outputTokensPerSec);
        close('Failed requests', summary.counts.failed, 6);
        close('Time taken for tests', summary.durationMs === null ? null : summary.durationMs / 1000);
        expect(block.match(/^ {5}p90: /gm)?.length ?? 0).toBe((summary.ttftMs ? 1 : 0) + (summary.latencyMs ? 1 : 0));
      }),
      { numRuns: 60 },
    );
  });

  it('says that a point is simulated, partial or not valid', () => {
    const finding = {
      code: 'client-bound',
      severity: 'invalid',
      message: '',
      evidence: {},
      advice: '',
      zh: { message: '', advice: '' },
    } as const;
    const block = reporters.evalscope(
      { ...point, simulated: true, partial: true, verdict: { valid: false, findings: [finding] } },
      { lang: 'en' },
    );
    expect(block.split('\n').slice(1, 4)).toEqual([
      ' Note: simulated, not a measurement of a real engine',
      ' Note: partial, the run did not end by itself',
      ' Note: not valid (client-bound)',
    ]);
  });
});

describe('the markdown table', () => {
  const points = [
    imported(
      8,
      {
        durationMs: 404_284,
        requestsPerSec: 2.474,
        outputTokensPerSec: 594.929,
        latencyMs: { ...unknownDistribution, mean: 3213, p50: 3246.1, p90: 4977.1 },
        counts: { byProblem: {} } as Summary['counts'],
      },
      { durationMs: '404.284', requestsPerSec: '2.474' },
    ),
    imported(
      16,
      {
        durationMs: 215_085,
        requestsPerSec: 4.649,
        outputTokensPerSec: 1119.102,
        latencyMs: { ...unknownDistribution, mean: 3391, p50: 3427.1, p90: 5290.5 },
        counts: { byProblem: {} } as Summary['counts'],
      },
      {},
    ),
  ];

  it('gives a published table back to the letter, without the row that nobody told', async () => {
    expect(reporters.markdown(sweepOf(points), { lang: 'zh' })).toBe(await fixture('evalscope-0.5-sweep.md'));
  });

  it('keeps the digits of the source, and only where they say the same number in the same unit', () => {
    const digits = imported(
      8,
      { durationMs: 404_280, requestsPerSec: 2.5 },
      { durationMs: '404.28', requestsPerSec: '9.9' },
    );
    const table = reporters.markdown(digits, { lang: 'en' });
    expect(table).toContain('| Duration (s) | 404.28 |');
    expect(table).toContain('| QPS | 2.500 |');
  });

  it('of a run of ours says what was asked, and gives every row its statistic and its unit, in both languages', () => {
    const [en, zh] = (['en', 'zh'] as const).map((lang) =>
      reporters.markdown({ ...measured, label: 'night 1' }, { lang }),
    );
    expect(en).toMatch(/^\*\*night 1 · /);
    expect(en).toMatch(/^\| Latency p99 \(s\) \| [\d.]+ \|$/m);
    expect(zh).toMatch(/^\| 延迟 p99 \(s\) \| [\d.]+ \|$/m);
    for (const table of [en, zh])
      for (const row of table!
        .split('\n')
        .filter((line) => /^\| .*(?:延迟|Latency|TTFT|TPOT|token|吞吐|Throughput|Duration|用时)/.test(line)))
        expect(row).toMatch(/\((s|ms|tok\/s)\) \|/);
  });

  it('law: every row has a cell for each point, whatever the labels hold', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 20 }), { minLength: 1, maxLength: 4 }), (labels) => {
        const nameless = { kind: 'closed', concurrency: null, ratePerSec: null, stream: true } as const;
        const table = reporters.markdown(sweepOf(labels.map((label) => ({ ...measured, label, load: nameless }))), {
          lang: 'en',
        });
        // Above the table of runs of ours stands what was asked, and of several what they amount to.
        const [heading, ...rest] = table.trimEnd().split('\n');
        expect(heading).toMatch(/^\*\*.*\*\*$/);
        expect(rest[1] === '' || rest[1]!.startsWith('|')).toBe(labels.length === 1);
        const lines = rest.slice(labels.length === 1 ? 1 : 3);
        for (const line of lines) expect(line.match(/(?<!\\)\|/g)?.length).toBe(labels.length + 2);
        expect(table.replaceAll('\n', '')).not.toMatch(/[<>\p{Cc}]/u);
      }),
      { numRuns: 100 },
    );
  });
});

describe('our own text', () => {
  it.each(['en', 'zh'] as const)('reads as agreed (%s)', async (lang) => {
    const other = { ...measured, load: { ...measured.load, concurrency: 4 }, simulated: true };
    const sweep = sweepOf([measured, other], 'T4 对比');
    const all = [measured, sweep, [sweep, sweepOf([other], 'B')]].map((what) => reporters.text(what, { lang }));
    await expect(all.join('\n')).toMatchFileSnapshot(`../../../test/fixtures/report/text.${lang}.golden.txt`);
  });

  it('law: all lines of a table are equally wide on a terminal, wide characters counted twice', () => {
    const width = (line: string): number =>
      [...line].reduce((cells, letter) => cells + (/[\u2e80-\uffef]/.test(letter) ? 2 : 1), 0);
    for (const lang of ['en', 'zh'] as const) {
      const lines = reporters.text(sweepOf([measured, measured], 'x'), { lang }).split('\n');
      const edges = lines.flatMap((line, i) => (/^─+$/.test(line) ? [i] : []));
      const table = lines.slice(edges[0], edges.at(-1)! + 1);
      expect(table.length).toBe(6);
      expect(new Set(table.map(width)).size).toBe(1);
      expect(width(table[0]!)).toBeLessThanOrEqual(120);
    }
  });

  it('puts what makes a run invalid before its figures and marks simulation everywhere', () => {
    const finding = {
      code: 'client-bound',
      severity: 'invalid',
      message: 'the client was the limit',
      evidence: {},
      advice: 'use more threads',
      zh: { message: '客户端是瓶颈', advice: '增加线程' },
    } as const;
    const bad = { ...measured, simulated: true, verdict: { valid: false, findings: [finding] } };
    const lines = reporters.text(bad, { lang: 'zh' }).split('\n');
    expect(lines.slice(0, 4)).toEqual([
      '[模拟结果：并非真实引擎的测量值]',
      '[无效：这些数据不可直接使用]',
      '无效: 客户端是瓶颈 (client-bound)',
      '    建议: 增加线程',
    ]);
    for (const name of Object.keys(reporters) as (keyof typeof reporters)[])
      for (const what of [bad, sweepOf([bad]), [sweepOf([bad])]])
        expect(reporters[name](what, { lang: 'en' })).toMatch(/simulated|SIMULATED/);
  });

  it('tells causes in words and lets no control character through', () => {
    const hostile = { ...measured, label: 'a\u001b[31m\u0007\nb', model: '\u202Eevil' };
    const told = reporters.text(hostile, { lang: 'en' });
    expect(told).toContain('    1 × connection reset by the server (reset)');
    expect(told.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  it('paints only through the painter', () => {
    const brackets = (text: string): string => `<${text}>`;
    const paint = { strong: brackets, good: brackets, warn: brackets, bad: brackets, faint: brackets };
    expect(reporters.text(measured, { lang: 'en', paint })).toContain('<夜间 test · qwen2-72b>');
    expect(reporters.text(measured, { lang: 'en' })).not.toContain('\u001b');
  });
});

describe('machine forms', () => {
  it('CSV has one row per point under the names of summary.json, unknown empty, formulas defused', () => {
    const point = { ...measured, label: '=cmd|"x",1', ttftMs: null };
    const [head, row, ...rest] = reporters.csv(sweepOf([point, point], 's,1'), { lang: 'en' }).split('\r\n');
    const names = head!.split(',');
    expect(row).toContain(`"s,1",r1,"'=cmd|""x"",1",qwen2-72b`);
    const cells = row!
      .replace('"s,1"', 's')
      .replace(/"'=.*?,1"/, 'l')
      .split(',');
    expect(cells.length).toBe(names.length);
    expect(cells[names.indexOf('counts.ok')]).toBe('2');
    expect(cells[names.indexOf('latencyMs.max')]).toBe('1880');
    expect(cells[names.indexOf('ttftMs.p50')]).toBe('');
    expect(rest).toEqual([row, '']);
  });
  it('JSON is the thing itself', () => {
    expect(JSON.parse(reporters.json(measured, { lang: 'en' }))).toMatchObject(measured);
  });
});

describe('the dialect of MindIE', () => {
  it('gives the accuracy where answers were checked, and a slash where they were not', () => {
    const checked = { ...measured, accuracy: { correct: 3, of: 8, ratio: 0.375 } };
    expect(reporters.mindie(checked, { lang: 'en' })).toMatch(/accuracy\s*\|\s*37\.5%/);
    expect(reporters.mindie(measured, { lang: 'en' })).toMatch(/accuracy\s*\|\s*\//);
  });
});
