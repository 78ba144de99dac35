import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { dynoHere } from '../../../test/in-process.ts';
import type { Summary, Sweep } from '../../core/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'dyno-sim-'));
afterAll(() => rmSync(folder, { recursive: true }));

const dyno = (line: string) => dynoHere(`${line} --store ${folder} --quiet --lang en`.split(' '));

async function sweep(flags: string): Promise<Sweep> {
  const profile = 'qwen1.5-7b-mindie-8x910b4';
  return JSON.parse((await dyno(`sim --profile ${profile} --json --lenient ${flags}`)).out) as Sweep;
}

const codesOf = (point: Summary): string[] => point.verdict.findings.map((finding) => finding.code);
const answers = '--input-tokens 100 --output-tokens 200';

it('a plan file needs no address: in virtual time there is no server', async () => {
  const file = join(folder, 'plan.yaml');
  writeFileSync(file, 'concurrency: 4\nrequests: 20\nmax-tokens: 8\nlenient: true\n');
  const { out, code } = await dyno(`sim ${file} --json`);
  expect(code).toBe(0);
  expect((JSON.parse(out) as Summary).counts).toMatchObject({ planned: 20, ok: 20 });
});

it('what a run is called and how its server was set are dimensions of its point', async () => {
  const { out } = await dyno(
    'sim --variant A --scheduler vllm-v1 --set max_num_seqs=4 --concurrency 2 -n 8 --json --lenient',
  );
  expect(JSON.parse(out)).toMatchObject({ point: { variant: 'A', settings: { max_num_seqs: '4' } } });
  const { code, err } = await dynoHere(['run', 'http://127.0.0.1:9', '--set', 'nothing', '--lang', 'en']);
  expect([code, err]).toEqual([2, expect.stringContaining('--set: "nothing" is no setting')]);
});

/** A step takes 10 ms and 0.1 for each decode, prompts are free: every time is sums on paper. */
const paper = {
  schema: 'llmdyno.engine-profile/1',
  name: 'paper',
  title: 'paper',
  model: 'paper',
  source: 'made up for tests',
  date: '2026',
  cost: { aMs: 10, cMsPerDecode: 0.1, p1MsPerPrefillToken: 0, kMsPer1000KvTokens: 0 },
  jitter: { stepSigma: 0 },
  maxBatchSize: 500,
  maxPrefillTokens: null,
  kv: null,
  notes: [],
};
const paperFile = join(folder, 'paper.json');
writeFileSync(paperFile, JSON.stringify(paper));

it('--find max: 10 + 0.1·n ms a token stay below 20.05 up to 100 in flight, and the search says so within its 4 %', async () => {
  const lengths = '--input-tokens 10 --output-tokens 200';
  const line = `sim --profile ${paperFile} --find max --slo tpot.p90<20.05ms --concurrency 1,400 -n 400 ${lengths} --json --lenient`;
  const { out, code } = await dyno(line);
  const { found, points } = JSON.parse(out) as { found: { value: number; confirmed: boolean }; points: Summary[] };
  expect(code).toBe(0);
  expect(found.confirmed).toBe(true);
  expect(found.value).toBeGreaterThanOrEqual(96);
  expect(found.value).toBeLessThanOrEqual(100);
  expect(points.every((point) => point.simulated)).toBe(true);
});

it('runs scatter as the profile says: no two points of a sweep have the same jitter, and the same command gives the same again', async () => {
  const noisy = join(folder, 'noisy.json');
  writeFileSync(noisy, JSON.stringify({ ...paper, jitter: { stepSigma: 0, runSigma: 0.05 } }));
  const line = `sim --profile ${noisy} --concurrency 4 --repeat 12 --same-prompts -n 20 --input-tokens 10 --output-tokens 50 --json --lenient`;
  const tpots = async (): Promise<number[]> =>
    (JSON.parse((await dyno(line)).out) as Sweep).points.map((point) => point.tpotMs!.mean!);
  const first = await tpots();
  expect(new Set(first).size).toBe(12);
  const logs = first.map((ms) => Math.log(ms / 10.4));
  const sigma = Math.sqrt(logs.reduce((sum, log) => sum + log ** 2, 0) / 12);
  // Twelve draws of a standard deviation of 0.05: within a factor of two of it.
  expect(sigma).toBeGreaterThan(0.025);
  expect(sigma).toBeLessThan(0.1);
  expect(await tpots()).toEqual(first);
});

describe('what a simulated engine says of itself is where a user looks', () => {
  const tight = '--scheduler vllm-v0 --set preemption_mode=swap --set swap_space=1 --set blocks=100 --set blockSize=16';

  it('label, preemptions, swapped bytes: in the text, the CSV and the summary', async () => {
    const { out } = await dyno(`sim ${tight} --concurrency 16 -n 60 --lenient --all`);
    const told = /backlogged.*KV cache 100 % full at most, (\d+) preemptions, (\d+) blocks \((\d+) MiB a card\)/.exec(
      out,
    );
    // Blocks of 16 tokens at 64 KiB a token and card are 1 MiB.
    expect(told![2]).toBe(told![3]);
    const { out: table } = await dyno('report latest --as csv');
    const [head = [], row = []] = table.split('\r\n').map((line) => line.split(','));
    const cell = (name: string): string => row[head.indexOf(name)]!;
    expect(cell('simulated')).toBe('true');
    expect(cell('server.saturation')).toBe('backlogged');
    expect(cell('server.preemptionsTotal')).toBe(told![1]);
    expect(Number(cell('server.swappedOutBytesPerCardTotal'))).toBe(Number(told![2]) * 2 ** 20);
  });

  it('a closed loop whose KV cache holds it all is stable, one that waits for blocks is backlogged', async () => {
    const labelOf = async (flags: string): Promise<unknown> => {
      const { out } = await dyno(`sim ${flags} --concurrency 16 -n 60 --lenient --json`);
      return (JSON.parse(out) as Summary).server!['saturation'];
    };
    expect(await labelOf('--set blocks=1000')).toBe('stable');
    expect(await labelOf('--set blocks=100 --set blockSize=16')).toBe('backlogged');
  });

  it('lists and comparisons say that it is simulated', async () => {
    await dyno('sim --concurrency 2 -n 20 --lenient --label one');
    await dyno('sim --concurrency 2,4 -n 20 --lenient --label two');
    const listed = JSON.parse((await dyno('runs list --json')).out) as { runs: { simulated: boolean }[] };
    expect(listed.runs.every((entry) => entry.simulated)).toBe(true);
    expect((await dyno('runs list')).out).toMatch(/run, simulated.* one /);
    expect((await dyno('runs list')).out).toMatch(/sweep of 2, simulated.* two /);
    expect((await dyno('audit one')).out).toContain('[SIMULATED: not a measurement of a real engine]');
    const compared = await dyno('compare one two --lenient');
    // Said once of both, since it is the same.
    expect(compared.out).toContain('[A, B: simulated, not a measurement of a real engine.]');
  });
});

it('what the server itself would refuse is refused, all of it named', async () => {
  const { code, err } = await dyno(
    'sim --scheduler mindie --set maxPrefillBatchSize=300 --set maxPreemptCount=2 --set cpuMemSize=0 -n 10',
  );
  expect(code).toBe(2);
  expect(err).toContain('maxPrefillBatchSize must not be larger than maxBatchSize');
  expect(err).toContain('cpuMemSize above 0');
});

it('every wrong setting is told at once, and an unknown name brings those of the memory too', async () => {
  const { err } = await dyno(
    'sim --scheduler mindie --set maxBatchSize=0 --set npuMem=8 --set cacheBlockSize=100 -n 10',
  );
  expect(err).toContain('maxBatchSize must be a whole number, 1 … 819200');
  expect(err).toContain('no setting "npuMem"');
  expect(err).toContain('npuMemSize, cpuMemSize, cacheBlockSize');
  expect(err).toContain('cacheBlockSize must be one of 16, 32');
});

describe('what went wrong in published benchmarks, by name, is what the audit finds', () => {
  it('nothing, without a fault', async () => {
    const { points, findings } = await sweep(`--concurrency 8,16,32,64 -n 300 ${answers}`);
    expect(points.flatMap(codesOf).filter((code) => code !== 'too-few-samples')).toEqual([]);
    expect(findings.map((finding) => finding.code)).toEqual(['peak-and-knee']);
  });

  it('stuck-request: one of the second point, which holds its clock for two minutes; the right rate is given', async () => {
    const { points } = await sweep(`--concurrency 8,16,32 -n 300 ${answers} --fault stuck-request:550`);
    expect(points.map((point) => codesOf(point).includes('stuck-request'))).toEqual([false, true, false]);
    const [lower, held] = points as [Summary, Summary];
    expect(held.counts).toMatchObject({ ok: 299, failed: 1, byProblem: { 'timeout-total': 1 } });
    // Twice the concurrency of the point before, and yet fewer tokens a second: that is what the log would show.
    expect(held.outputTokensPerSec!).toBeLessThan(lower.outputTokensPerSec!);
    const { evidence } = held.verdict.findings.find((finding) => finding.code === 'stuck-request')!;
    expect(evidence['trueRequestsPerSec']).toBeGreaterThan(1.5 * lower.requestsPerSec!);
  });

  it('runaway-generation: one answer of the second point goes on alone', async () => {
    const { points } = await sweep(`--concurrency 8,16,32,64 -n 200 ${answers} --fault runaway-generation:390`);
    const audited = await dyno(`audit latest --json`);
    const document = JSON.parse(audited.out) as { points: { findings: { code: string }[] }[] };
    const found = document.points.map((point) => point.findings.some(({ code }) => code === 'runaway-generation'));
    expect(found).toEqual([false, true, false, false]);
    expect(points[1]!.outputTokens!.max).toBe(1600);
  });

  it('decode-starvation: answers are decoded one after the other, and stall between their first and second token', async () => {
    const { points } = await sweep(`--concurrency 8,16 -n 100 ${answers} --fault decode-starvation`);
    for (const point of points) expect(codesOf(point)).toContain('decode-starvation');
    expect(points[0]!.outputTokensPerSec).toBeCloseTo(points[1]!.outputTokensPerSec!, 0);
  });

  it('cold-start: the first wave of the first point, and of no other', async () => {
    const { points } = await sweep(`--concurrency 8,16,32 -n 300 ${answers} --fault cold-start`);
    expect(points.map((point) => codesOf(point).includes('cold-start'))).toEqual([true, false, false]);
  });

  it('client-timeout: past 30 s only the quick ones are counted, and latency falls as the load grows', async () => {
    const slow = '--input-tokens 100 --output-tokens 100..1600';
    const { points, findings } = await sweep(`--concurrency 100,400,800 -n 1500 ${slow} --fault client-timeout`);
    expect(points.flatMap(codesOf)).toContain('censored-percentiles');
    expect(findings.map((finding) => finding.code)).toContain('survivor-bias');
    for (const point of points) expect(point.latencyMs!.max).toBeLessThanOrEqual(30_000);
  });

  it.each([
    ['sim --fault nonsense', 'no fault "nonsense"'],
    ['sim --fault cold-start:3', 'alone'],
    ['sim --fault stuck-request:0', 'NUMBER'],
    ['engine --port 0 --fault client-timeout', 'is the client'],
  ])('%s is refused with a hint', async (line, words) => {
    const { code, err } = await dyno(line);
    expect(code).toBe(2);
    expect(err).toContain(words);
  });
});

it('the headline of a closed loop does not depend on how it began: TTFT p99 of the steady part, whatever the warm-up', async () => {
  const p99 = async (warmup: number): Promise<{ steady: number; whole: number }> => {
    const line = `sim --concurrency 64 -n 1000 --input-tokens 512 --output-tokens 128 --warmup ${warmup} --json --lenient`;
    const { steady, ttftMs } = JSON.parse((await dyno(line)).out) as Summary;
    return { steady: steady!.ttftMs!.p99!, whole: ttftMs!.p99! };
  };
  const none = await p99(0);
  // The opening cohort asks all at once: over the whole run its first tokens are the slow end.
  expect(none.whole).toBeGreaterThan(1.5 * none.steady);
  for (const warmup of [64, 512]) expect((await p99(warmup)).steady / none.steady).toBeCloseTo(1, 1);
  const { out } = await dyno('report latest');
  expect(out.indexOf('the figures to quote')).toBeGreaterThan(0);
  expect(out.indexOf('whole run, its start and end included')).toBeGreaterThan(out.indexOf('the figures to quote'));
});

it('a real service replayed on an engine ten times too small is overloaded, and no part of it is steady', async () => {
  const { out, code } = await dyno(
    'sim --rate 60 --duration 60s --input-tokens 512 --output-tokens 128 --timeout 5s --json --lenient',
  );
  const { flow, steady, server, counts, verdict } = JSON.parse(out) as Summary;
  expect(code).toBe(0);
  expect(counts.failed).toBeGreaterThan(counts.ok);
  expect([flow!.state, server!['saturation'], steady]).toEqual(['overloaded', 'overloaded', null]);
  expect(verdict.findings.map((finding) => finding.code)).toEqual(expect.arrayContaining(['overloaded', 'failures']));
});

describe('a profile that was fitted to runs', () => {
  /** On paper: 10 + 0.1·n ms a step; two servers explain the runs too, a tenth slower and quicker. */
  const slower = (share: number) => ({ cost: { ...paper.cost, aMs: share * 10, cMsPerDecode: share * 0.1 } });
  const fit = {
    fittedTo: '2 runs together',
    heldOutError: null,
    intervals: {},
    reach: { promptTokens: [50, 200], outputTokens: [10, 40], inFlight: 8, cachedShare: 0, promptsAlike: false },
    doubt: { errors: { tpotMeanMs: 0.01 }, others: [slower(1.1), slower(0.9)], p1Known: false },
  };
  const fitted = (name: string, own: object): string => {
    const path = join(folder, name);
    writeFileSync(path, JSON.stringify({ ...paper, fit: { ...fit, ...own } }));
    return path;
  };
  const file = fitted('fitted.json', {});
  const line = `sim --profile ${file} --concurrency 4 -n 40 --input-tokens 100 --output-tokens 20 --lenient`;
  const predictionOf = async (words: string) => {
    const { server, ...summary } = JSON.parse((await dyno(`${words} --json`)).out) as Summary;
    const kept = server!['prediction'] as {
      intervals: Record<string, [number, number] | null>;
      warnings: { en: string }[];
    };
    return { ...kept, summary };
  };

  it('prints where 90 % of measurements should lie, around each figure: a tenth and 1.645 of it, for a step of 10.4 ms', async () => {
    const { intervals, warnings, summary } = await predictionOf(line);
    const [low, high] = intervals['tpotMs.mean']!;
    expect(summary.tpotMs!.mean).toBeCloseTo(10.4, 1);
    // The mean square of ln 1.1 and ln 0.9 is 0.1004²; two runs of one load differ by 0.02 at least.
    const factor = Math.exp(1.645 * Math.hypot(0.1004, 0.02));
    expect([low, high]).toEqual([expect.closeTo(10.4 / factor, 1), expect.closeTo(10.4 * factor, 1)]);
    const keys = ['outputTokensPerSec', 'ttftMs.mean', 'ttftMs.p99', 'tpotMs.mean', 'latencyMs.p50'];
    expect(Object.keys(intervals)).toEqual(keys);
    expect(warnings).toEqual([]);
  });

  it('beyond its reach it says so, and leaves out first tokens that hang on a p1 nobody knows', async () => {
    const { intervals, warnings } = await predictionOf(line.replace('--input-tokens 100', '--input-tokens 900'));
    expect(intervals['ttftMs.mean']).toBeNull();
    expect(intervals['tpotMs.mean']).not.toBeNull();
    expect(warnings.map(({ en }) => en)).toEqual([
      'prompts of 900 tokens: fitted on 50 to 200',
      expect.stringContaining('p1 not identified'),
    ]);
  });

  it('both languages tell it on the first screen, which stays within its 25 lines', async () => {
    const shown = async (lang: string) =>
      (
        await dynoHere(
          `${line.replace('--concurrency 4', '--concurrency 16')} --store ${folder} --quiet --lang ${lang}`.split(' '),
        )
      ).out;
    const [en, zh] = [await shown('en'), await shown('zh')];
    expect(en).toMatch(/90 % of measurements of the whole run: tokens\/s out/);
    expect(en.replaceAll('\n', ' ')).toContain('less certain: 16 in flight: fitted on up to 8');
    expect(zh).toContain('90% 的实测应落在');
    expect(zh).toContain('可信度较低');
    expect(en.trimEnd().split('\n').length).toBeLessThanOrEqual(25);
  });

  it('a sweep tells it of each point as it ends', async () => {
    const { err } = await dynoHere(
      `${line.replace('--concurrency 4', '--concurrency 2,4')} --store ${folder} --lang en`.split(' '),
    );
    expect(err.match(/90 % of measurements/g)).toHaveLength(2);
  });

  it.each([
    ['fit.reach.inFlight', { reach: { ...fit.reach, inFlight: 'many' } }],
    ['fit.reach.promptTokens', { reach: { ...fit.reach, promptTokens: null } }],
    ['fit.doubt.others', { doubt: { ...fit.doubt, others: [] } }],
    ['cost.aMs', { doubt: { ...fit.doubt, others: [slower(-1)] } }],
  ])('a file whose %s is wrong is refused by that name', async (field, own) => {
    const { code, err } = await dyno(`sim --profile ${fitted('wrong.json', own)} --concurrency 4 -n 8`);
    expect([code, err]).toEqual([2, expect.stringContaining(field)]);
  });
});
