import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyExchange, exchange } from '../../../../test/fixtures/measure/exchanges.ts';
import { summaryOf } from '../../../../test/fixtures/store/runs.ts';
import { decodeExchange, encodeExchange } from '../exchange-line.ts';
import type { Counts } from '../../../core/index.ts';
import type { Same } from './same.ts';
import { jsonSchemas, summarySchema, sweepSchema } from './index.ts';

const folder = fileURLToPath(new URL('../../../../schemas/', import.meta.url));
// The formats (date-time) stand beside a pattern that says the same.
const ajv = new Ajv2020({ strict: false, validateFormats: false });
const validators: Record<string, ValidateFunction> = Object.fromEntries(
  Object.entries(jsonSchemas()).map(([name, schema]) => [name, ajv.compile(schema)]),
);

/** What a schema has against a value; empty where it accepts it. */
function complaints(name: string, value: unknown): string {
  const accept = validators[name]!;
  return accept(value) ? '' : ajv.errorsText(accept.errors);
}

describe('the JSON Schemas that are shipped', () => {
  it('are those that the code makes', async () => {
    const files = (await readdir(folder)).filter((name) => Object.hasOwn(jsonSchemas(), name.split('.')[0]!));
    expect(files.toSorted()).toEqual(
      Object.keys(jsonSchemas())
        .map((name) => `${name}.schema.json`)
        .toSorted(),
    );
    for (const [name, schema] of Object.entries(jsonSchemas()))
      expect(JSON.parse(await readFile(`${folder}${name}.schema.json`, 'utf8'))).toEqual(schema);
  });

  it('accept every summary that measure makes, alone and in a sweep', () => {
    fc.assert(
      fc.property(fc.array(anyExchange, { maxLength: 20 }), (exchanges) => {
        const summary = JSON.parse(JSON.stringify(summaryOf(exchanges))) as unknown;
        expect(complaints('summary', summary)).toBe('');
        expect(summarySchema.parse(summary)).toEqual(summary);
        const sweep = { schema: 'llmdyno.sweep/1', points: [summary] };
        expect(complaints('sweep', sweep)).toBe('');
        expect(sweepSchema.parse(sweep).points).toEqual([summary]);
      }),
      { numRuns: 40 },
    );
  });

  it('accept the summary of the contract, with only the keys that it names', () => {
    const zeros = { mean: 0, min: 0, max: 0, p50: 0, p66: 0, p75: 0, p80: 0, p90: 0, p95: 0, p98: 0, p99: 0, n: 0 };
    const rates = { requestsPerSec: 0, inputTokensPerSec: 0, outputTokensPerSec: 0, totalTokensPerSec: 0 };
    const times = { latencyMs: zeros, ttftMs: null, tpotMs: null, itlMs: null, latencyFromDueMs: null };
    const figures = { ...rates, ...times, ttftFromDueMs: null, latenessMs: null, concurrencyAchieved: 7.9 };
    const contract = {
      schema: 'llmdyno.summary/1',
      runId: 'r',
      label: 'l',
      source: { tool: 'evalscope', file: null },
      simulated: false,
      load: { kind: 'replay', concurrency: 8, ratePerSec: null, stream: true },
      counts: {
        planned: 1000,
        issued: 998,
        ok: 990,
        failed: 8,
        cancelled: 0,
        dropped: 2,
        unaccounted: 0,
        byProblem: { 'timeout-read': 8 },
      },
      durationMs: 0,
      inputCharsPerSec: null,
      outputCharsPerSec: null,
      ...figures,
      inputTokens: zeros,
      outputTokens: zeros,
      userTokensPerSec: zeros,
      goodput: { slo: ['ttft<2s'], requestsPerSec: 0, ratio: 0 },
      steady: { fromMs: 0, toMs: 0, ...figures },
      printed: { requestsPerSec: '2.474' },
      server: { kv: 0.5 },
      devices: {},
      client: { loopDelayP99Ms: 0, cpuRatio: 0 },
      verdict: {
        valid: false,
        findings: [{ code: 'client-bound', severity: 'invalid', message: 'm', evidence: { n: 1 }, advice: 'a' }],
      },
    };
    expect(complaints('summary', contract)).toBe('');
    const read = summarySchema.parse(contract);
    expect(read).toMatchObject({ partial: false, model: null, client: { threads: 1 } });
    expect(read.verdict.findings[0]!.zh).toEqual({ message: 'm', advice: 'a' });
    expect(complaints('summary', { ...contract, counts: undefined })).toMatch(/counts/);
    expect(complaints('summary', { ...contract, verdict: { valid: 'yes', findings: [] } })).toMatch(/valid/);
  });
});

describe('an exchange on disk', () => {
  it('comes back as it was, and is what the schema says', () => {
    fc.assert(
      fc.property(anyExchange, (one) => {
        const line = encodeExchange(one);
        expect(line).not.toContain('\n');
        expect(decodeExchange(line)).toEqual({ exchange: one });
        expect(complaints('exchange', JSON.parse(line))).toBe('');
      }),
      { numRuns: 100 },
    );
  });
  it('is refused with a reason where it is damaged', () => {
    expect(decodeExchange('{')).toEqual({ why: 'not JSON' });
    expect(decodeExchange(JSON.stringify({ ...exchange(), endMs: 'x' }))).toMatchObject({
      why: expect.stringContaining('endMs') as string,
    });
    const uneven = { ...exchange(), chunks: { atMs: [1], tokens: [], kinds: '' } };
    expect(decodeExchange(JSON.stringify(uneven))).toMatchObject({ why: expect.stringContaining('length') as string });
  });
});

describe('the compiler', () => {
  it('refuses a schema that drifts from core', () => {
    // @ts-expect-error a key is missing
    const missing: Same<Omit<Counts, 'ok'>, Counts> = true;
    // @ts-expect-error a key has another type
    const other: Same<Omit<Counts, 'ok'> & { ok: string }, Counts> = true;
    expect([missing, other]).toEqual([true, true]);
  });
});
