import { describe, expect, test } from 'vitest';
import { auditPoints } from '../../src/results/audit/index.ts';
import { verdictOf } from '../../src/core/index.ts';
import type { Summary, Sweep } from '../../src/core/index.ts';
import { reporters } from '../../src/lab/index.ts';
import { fixture, importText } from '../imported.ts';

const atlas = fixture('published/evalscope-atlas-800i-a2.md');
const mxc500 = fixture('published/evalscope-mxc500.md');
const mindie = fixture('published/mindie-qwq-32b.md');
const chunks = fixture('published/vllm-sus-chat-34b.md');

/** The markdown tables of a document as they stand there, by the heading above them. */
function tablesOf(text: string): Map<string, string[]> {
  const tables = new Map<string, string[]>();
  let heading = '';
  for (const line of text.split('\n')) {
    if (line.startsWith('#')) heading = line.replace(/^#+ /, '');
    if (line.startsWith('| ')) tables.set(heading, [...(tables.get(heading) ?? []), line]);
  }
  return tables;
}

function sweepOf(text: string, title: string): Sweep {
  const found = importText(text).sweeps.find((sweep) => sweep.title === title)!;
  return {
    schema: 'llmdyno.sweep/1',
    id: found.id,
    title,
    variable: found.variable,
    points: found.points,
    findings: [],
  };
}

describe('a published table is reproduced digit by digit from the logs below it', () => {
  const published = tablesOf(atlas);
  test('there are four of them', () => {
    expect([...published.keys()]).toEqual([
      'Qwen1.5-7B-Chat',
      'Qwen1.5-7B-Chat (long.jsonl)',
      'Qwen1.5-14B-Chat',
      'Qwen2-72B-Chat (long.jsonl)',
    ]);
  });
  test.each([...published])('%s', (title, lines) => {
    const logsOnly = atlas
      .split('\n')
      .filter((line) => !line.startsWith('| '))
      .join('\n');
    const table = reporters.markdown(sweepOf(logsOnly, title), { lang: 'zh' }).split('\n');
    for (const line of lines) expect(table).toContain(line);
  });
  test('with the table present, every figure of it is compared with its log and agrees', () => {
    const { sweeps } = importText(atlas);
    const mentions = sweeps.flatMap((sweep) => sweep.points.flatMap((point) => point.alsoPrinted ?? []));
    // 31 columns of 7 figures each (6 rows and the concurrency in the header), and the line above each log.
    expect(mentions.filter((mention) => mention.where === 'table')).toHaveLength(31 * 7);
    expect(mentions.filter((mention) => mention.where === 'heading')).toHaveLength(31);
    expect(codesIn(sweeps.map((sweep) => sweep.points))).not.toContain('table-disagrees');
  });
  test('one wrong digit in a table is a finding, and the log is used', () => {
    const wrong = atlas.replace('| QPS | 2.474 |', '| QPS | 2.744 |');
    const [sweep] = importText(wrong).sweeps;
    const audit = auditPoints(sweep!.points);
    expect(sweep!.points[0]!.requestsPerSec).toBe(2.474);
    expect(audit.points[0]!.status).toBe('clean');
    expect(audit.points[0]!.findings.find((finding) => finding.code === 'table-disagrees')?.evidence).toMatchObject({
      key: 'requestsPerSec',
      table: '2.744',
      log: '2.474',
    });
    expect(audit.points[1]!.findings.map((finding) => finding.code)).not.toContain('table-disagrees');
  });
});

function codesIn(sweeps: readonly (readonly Summary[])[]): string[] {
  return sweeps.flatMap((points) =>
    auditPoints(points).points.flatMap((point) => point.findings.map((finding) => finding.code)),
  );
}

describe('one point per load test', () => {
  test('tables and logs of a section are the same points, in the order found', () => {
    const [first] = importText(atlas).sweeps;
    expect(first!.points.map((point) => point.load.concurrency)).toEqual([
      8, 16, 32, 64, 128, 150, 200, 256, 300, 400, 512, 720,
    ]);
  });
  test('a table without logs gives points that know no more than the table', () => {
    const sweep = sweepOf(mxc500, 'Qwen2.5-72B-Instruct');
    expect(sweep.points.map((point) => point.counts.failed)).toEqual([0, 0, 0, 13, 21, 69, 100, 158]);
    expect(sweep.points[3]).toMatchObject({
      requestsPerSec: null,
      latencyMs: null,
      durationMs: null,
      counts: { planned: null, ok: null, unaccounted: null },
    });
  });
  test('rows with a label of their own keep it', () => {
    const sweep = sweepOf(mxc500, '结果对比');
    expect(sweep.points.map((point) => [point.label, point.printed['requestsPerSec']])).toEqual([
      ['无', '0.766'],
      ['numactl -N0 -m0', '0.869'],
      ['numactl --cpunodebind=0,1,2,3 --membind=0,1,2,3', '0.653'],
      ['numactl --cpunodebind=0,2,4,6 --membind=0,2,4,6', '0.641'],
    ]);
  });
  test('an input × output matrix: 25 cells, eight of them with their log', () => {
    const sweep = sweepOf(chunks, 'SUS-Chat-34B · V100-PCIE-32G / 详细测试');
    expect(sweep.points).toHaveLength(25);
    const logged = sweep.points.filter((point) => point.source.tool === 'chunk-log');
    expect(logged.map((point) => [point.label, point.printed['outputTokensPerSec']])).toEqual([
      ['chunk_size: 2000, generate_size: 1000', '84.7432098765432'],
      ['chunk_size: 2000, generate_size: 4000', '84.23930678466077'],
      ['chunk_size: 2000, generate_size: 2000', '84.83150183150182'],
      ['chunk_size: 4000, generate_size: 100', '28.04355108877722'],
      ['chunk_size: 4000, generate_size: 500', '53.23845704266511'],
      ['chunk_size: 4000, generate_size: 1000', '53.17812852311161'],
      ['chunk_size: 4000, generate_size: 2000', '52.42343324250681'],
      ['chunk_size: 4000, generate_size: 4000', '51.69650423728814'],
    ]);
    expect(logged.every((point) => (point.alsoPrinted ?? []).length === 2)).toBe(true);
  });
  test('a table in another section that only repeats logs adds no points', () => {
    const summary =
      '\n## 结果对比\n\n| 模型 | Average QPS | Average latency | Throughput |\n| --- | --- | --- | --- |\n| 7B, 8 | 2.474 | 3.213 | 594.929 |\n| 7B, 16 | 4.649 | 3.391 | 1119.102 |\n';
    const { sweeps } = importText(atlas + summary);
    expect(sweeps.map((sweep) => sweep.points.length)).toEqual([12, 4, 9, 6]);
    expect(sweeps[0]!.points[0]!.label).toBe('7B, 8');
  });
  test('code is not data', () => {
    const code =
      "\n### 绘图代码\n```python\nconcurrency = [8, 16]\nqps = [2.474, 4.649]\nprint('Benchmarking summary: ')\n```\n";
    expect(importText(atlas + code).sweeps).toHaveLength(4);
  });
});

/** Which rows of the published evalscope sweeps are not what they seem, judged by hand from the printed figures. */
const unclean: Record<string, Record<number, string[]>> = {
  'Qwen1.5-7B-Chat': {},
  'Qwen1.5-7B-Chat (long.jsonl)': {},
  'Qwen1.5-14B-Chat': {
    8: ['stuck-request'],
    16: ['stuck-request'],
    32: ['in-flight-low', 'runaway-generation'],
    64: ['stuck-request'],
    128: ['in-flight-low', 'runaway-generation'],
    150: ['stuck-request'],
    200: ['stuck-request'],
    256: ['stuck-request'],
    512: ['stuck-request'],
  },
  'Qwen2-72B-Chat (long.jsonl)': {
    30: ['unaccounted-requests', 'lost-client-workers', 'censored-percentiles'],
    40: ['unaccounted-requests', 'lost-client-workers', 'in-flight-low', 'censored-percentiles'],
    50: ['unaccounted-requests', 'lost-client-workers', 'in-flight-low', 'censored-percentiles'],
  },
};

describe('the quality gate on the published evalscope rows', () => {
  test.each(Object.entries(unclean))('%s', (title, rows) => {
    const { points } = sweepOf(atlas, title);
    const audit = auditPoints(points);
    const named = Object.fromEntries(
      points.flatMap((point, i) => {
        const codes = audit.points[i]!.findings.filter((finding) => finding.severity === 'invalid').map(
          (finding) => finding.code,
        );
        return codes.length === 0 ? [] : [[point.load.concurrency, codes]];
      }),
    );
    expect(named).toEqual(rows);
    expect(audit.points.map((point) => point.status === 'clean')).toEqual(
      points.map((point) => !Object.hasOwn(rows, String(point.load.concurrency))),
    );
  });
  test('the row of the MXC500 document lost 12 requests and pins its p99 under 120 s', () => {
    const { points } = sweepOf(mxc500, '压力测试');
    const [audit] = auditPoints(points).points;
    expect(audit!.status).toBe('unusable');
    expect(audit!.findings.find((finding) => finding.code === 'censored-percentiles')?.evidence).toMatchObject({
      timeoutSec: 120,
      cut: 62,
    });
    expect(audit!.findings.find((finding) => finding.code === 'unaccounted-requests')?.evidence).toMatchObject({
      planned: 1000,
      ok: 938,
      failed: 50,
      unaccounted: 12,
    });
  });
  test('a stuck request is repaired: 480.043 tokens/s at 224.138 tokens are 2.1417 requests/s, not 1.727', () => {
    const [audit] = auditPoints(sweepOf(atlas, 'Qwen1.5-14B-Chat').points).points;
    expect(audit!.status).toBe('repairable');
    expect(audit!.repaired!.requestsPerSec).toBeCloseTo(480.043 / 224.138, 10);
    expect(audit!.repaired!.outputTokensPerSec).toBe(480.043);
  });
  test('QPS is printed 68 % too low at 200', () => {
    const audit = auditPoints(sweepOf(atlas, 'Qwen1.5-14B-Chat').points).points[6]!;
    const { requestsPerSec, trueRequestsPerSec } = audit.findings[0]!.evidence as Record<string, number>;
    expect(1 - requestsPerSec! / trueRequestsPerSec!).toBeCloseTo(0.68, 2);
  });
});

describe('MindIE: tables, arithmetic, diagnosis', () => {
  const points = importText(mindie).sweeps.flatMap((sweep) => sweep.points);
  /** From the facts page: recomputed by hand, as printed. */
  const lpct = ['1.0815', '1.1833', '1.4724', '1.755', '1.5942', '1.751'];
  const perClient = ['36.8678', '36.6248', '3.7781', '3.5903', '32.7323', '32.1789'];
  const charsPerToken = ['3.3221', '3.3389', '3.3718', '3.3917', '3.421', '3.4474'];
  const gapByClientMs = [27.0167, 26.5547, 264.9234, 272.8828, 29.64, 30.1011];
  const rounded = (value: number): string => String(Number(value.toFixed(4)));

  test('six tables, each with 17 metrics of up to 8 figures', () => {
    expect(points).toHaveLength(6);
    expect(points.map((point) => point.printed['ttftMs.mean'])).toEqual([
      '64.7768',
      '72.0491',
      '88.1944',
      '106.8642',
      '97.07',
      '106.62',
    ]);
    expect(points.map((point) => point.counts.ok)).toEqual([8792, 200, 8792, 200, 200, 200]);
    expect(points[0]!.server).toMatchObject({
      'DecoderBatchsize.max': 20,
      'QueueWaitTime.max': 175.689,
      'DecodeTime.slo_p90': 27.6082,
    });
  });
  test('lpct, speed per client and characters per token follow from the tables to the printed digit', () => {
    expect(points.map((point) => rounded(point.ttftMs!.mean! / point.inputTokens!.mean!))).toEqual(lpct);
    expect(points.map((point) => point.printed['server.lpctMs'])).toEqual(lpct);
    expect(points.map((point) => rounded(point.outputTokensPerSec! / point.load.concurrency!))).toEqual(perClient);
    expect(points.map((point) => point.printed['server.generateSpeedPerClient'])).toEqual(perClient);
    expect(points.map((point) => point.printed['server.CharactersPerToken.mean'])).toEqual(charsPerToken);
    for (const [i, point] of points.entries()) {
      const speed = (point.counts.ok * point.outputTokens!.mean!) / (point.durationMs! / 1000);
      expect(Math.abs(speed - point.outputTokensPerSec!)).toBeLessThan(0.0002);
      const gap = (point.latencyMs!.mean! - point.ttftMs!.mean!) / (point.outputTokens!.mean! - 1);
      expect(gap).toBeCloseTo(gapByClientMs[i]!, 3);
    }
  });
  test('no identity of the tables is broken', () => {
    const codes = codesIn(points.map((point) => [point]));
    expect(codes).not.toContain('figures-disagree');
    expect(codes).not.toContain('rate-identity');
    expect(codes).not.toContain('throughput-identity');
  });
  test('the two tables of floored milliseconds, the warm-up overlap and the starved decodes are named', () => {
    const named = points.map((point) =>
      auditPoints([point])
        .points[0]!.findings.map((finding) => finding.code)
        .filter((code) => code !== 'too-few-samples'),
    );
    expect(named).toEqual([
      ['warmup-overlap'],
      ['warmup-overlap'],
      ['decode-starvation'],
      ['decode-starvation'],
      ['integer-milliseconds'],
      ['integer-milliseconds'],
    ]);
  });
  test('decode starvation names the setting to change', () => {
    const finding = auditPoints([points[2]!]).points[0]!.findings[0]!;
    expect(finding.advice).toContain('maxPrefillBatchSize');
    expect(finding.zh.advice).toContain('maxPrefillBatchSize');
    expect(finding.evidence).toMatchObject({ prefillBatchMax: 1, decodeBatchMax: 1, concurrency: 10 });
  });
});

test('a verdict is made of findings: a sweep of clean rows stays valid', () => {
  const { points } = sweepOf(atlas, 'Qwen1.5-7B-Chat');
  expect(auditPoints(points).points.every((audit) => verdictOf(audit.findings).valid)).toBe(true);
});
