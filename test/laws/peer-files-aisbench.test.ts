import { describe, expect, test } from 'vitest';
import { auditPoints } from '../../src/results/audit/index.ts';
import type { Summary } from '../../src/core/index.ts';
import { importCsv, importJson, joinFiles } from '../../src/tools/index.ts';
import { fixture, importText } from '../imported.ts';

describe('AISBench 3.1', () => {
  const files = ['synthetic.csv', 'synthetic.json', 'synthetic_details.jsonl'];
  const joined = (stage: string, names: readonly string[]): Summary => {
    const read = names.map((name) => {
      const path = `aisbench/${stage}/${name}`;
      return name.endsWith('.csv') ? importCsv(fixture(path), path) : importJson(fixture(path), path);
    });
    const { sweeps, problems } = joinFiles(read);
    expect(problems).toEqual([]);
    expect(sweeps.map((sweep) => sweep.points.length)).toEqual([1]);
    return sweeps[0]!.points[0]!;
  };
  const printedBy = (stage: string): Summary => {
    const { sweeps, problems } = importText(fixture(`aisbench/${stage}/console.log`), 'console.log');
    expect(problems).toEqual([]);
    expect(sweeps.map((sweep) => sweep.points.length)).toEqual([1]);
    return sweeps[0]!.points[0]!;
  };

  test('csv, json and details of one run are one point, with the digits the console prints', () => {
    const [point, block] = [joined('total', files), printedBy('total')];
    for (const [key, digits] of Object.entries(block.printed)) expect([key, point.printed[key]]).toEqual([key, digits]);
    expect(point).toMatchObject({
      source: { tool: 'aisbench' },
      load: { kind: 'closed', concurrency: 4, stream: true },
      counts: { planned: 24, ok: 24, failed: 0, unaccounted: 0 },
      durationMs: 782.0908,
      requestsPerSec: 30.687,
      inputTokensPerSec: 787.6324,
      outputTokensPerSec: 506.3351,
      totalTokensPerSec: 1293.9675,
      concurrencyAchieved: 3.351,
      latencyMs: { mean: 109.2, min: 27.1, max: 223.9, p50: 110.5, p99: 213.8, n: 24 },
      ttftMs: { mean: 43.2, p90: 127.8 },
      tpotMs: { mean: 4.7, p75: 7.2 },
      itlMs: { mean: 3.6, max: 121.4 },
      userTokensPerSec: { mean: 196.2057, p50: 147.2019 },
    });
    const { findings } = auditPoints([point]).points[0]!;
    expect(findings.map((finding) => finding.code)).toEqual(['too-few-samples']);
  });
  test('each file alone: the csv counts its samples, the json names the line of every figure', () => {
    expect(joined('total', ['synthetic.csv']).latencyMs!.n).toBe(24);
    const { printed, printedLines } = joined('total', ['synthetic.json']);
    const lines = fixture('aisbench/total/synthetic.json').split('\n');
    for (const [key, line] of Object.entries(printedLines!)) expect(lines[line - 1]).toContain(printed[key]);
  });
  test('the records of the details file give the lengths the table prints', () => {
    const [details, table] = [joined('total', ['synthetic_details.jsonl']), joined('total', ['synthetic.csv'])];
    for (const name of ['inputTokens', 'outputTokens'] as const) {
      for (const statistic of ['mean', 'min', 'max', 'p50', 'p75', 'p90', 'p99'] as const)
        expect(details[name]![statistic]).toBeCloseTo(table[name]![statistic]!, 4);
    }
  });
  test('a "stable" stage of 2 requests is not the run of 48: its counts are kept apart, the failures outside it show', () => {
    for (const alone of [
      printedBy('stable'),
      joined('stable', ['synthetic.json']),
      joined('stable', files.slice(0, 2)),
    ]) {
      expect(alone.counts).toMatchObject({ planned: null, ok: null, failed: null, unaccounted: null });
      expect(alone.durationMs).toBeNull();
      expect(alone.requestsPerSec).toBe(25.7168);
      expect(alone.server).toMatchObject({ stage: 'stable', 'stable.counts.planned': 2, 'stable.durationMs': 77.7701 });
    }
    const point = joined('stable', files);
    expect(point.counts).toMatchObject({ planned: 48, ok: 42, failed: 6, unaccounted: 0 });
    expect(point.latencyMs).toMatchObject({ mean: 82.6, p95: 85.1, p99: 85.3, n: 2 });
    expect(point.inputTokens).toMatchObject({ mean: 12, p80: null });
    const { findings } = auditPoints([point]).points[0]!;
    expect(findings.map((finding) => finding.code)).toEqual(expect.arrayContaining(['failures', 'too-few-samples']));
  });
});
