import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Summary, Sweep } from '../../src/core/index.ts';
import { dynoHere } from '../in-process.ts';
import { dyno, emptyFolder, engine, summaryOf } from './dyno.ts';
import type { Done, Engine } from './dyno.ts';

let server: Engine;
let store: string;
let run: Done;
let sweep: Done;
const schemas = join(import.meta.dirname, '../../schemas');
const inStore = (...args: string[]): Promise<Done> => dyno([...args, '--store', store]);
const load = ['-n', '24', '--max-tokens', '6', '--ignore-eos', '--lenient'];
const secret = 'sk-very-secret-9f8e7d';

beforeAll(async () => {
  store = await emptyFolder();
  server = await engine(['--speed', '10']);
  run = await dyno(
    [
      'run',
      server.url,
      ...load,
      '--concurrency',
      '4',
      '--label',
      '第一次 <b>',
      '--json',
      '--store',
      store,
      '--key-env',
      'MY_KEY',
      '--header',
      `X-Api-Key: ${secret}`,
    ],
    {
      env: { MY_KEY: secret },
    },
  );
  sweep = await inStore('sweep', server.url, ...load, '--concurrency', '2,4', '--label', 'two points', '--json');
});
afterAll(() => server.stop());

function check(name: string, value: unknown): unknown {
  const schema = JSON.parse(readFileSync(join(schemas, `${name}.schema.json`), 'utf8')) as object;
  // A pattern says what the format (date-time) says.
  const ajv = new Ajv2020({ allErrors: true, strict: false, validateFormats: false });
  ajv.validate(schema, value);
  return ajv.errors ?? [];
}

describe('what --json prints', () => {
  test('a run is one document that fits its JSON Schema, and nothing else stands on stdout', () => {
    expect(run.code).toBe(0);
    expect(check('summary', JSON.parse(run.out))).toEqual([]);
    expect(summaryOf(run).counts).toMatchObject({ planned: 24, ok: 24, unaccounted: 0 });
  });
  test('a sweep fits its schema, with a summary per point', () => {
    const document = JSON.parse(sweep.out) as Sweep;
    expect(check('sweep', document)).toEqual([]);
    expect(document.points.map(({ load: { concurrency } }) => concurrency)).toEqual([2, 4]);
  });
  test('the shipped schemas would notice: a count that is text, a missing key', () => {
    const broken = { ...summaryOf(run), durationMs: 'long' };
    expect(check('summary', broken)).not.toEqual([]);
    const { counts: _, ...without } = summaryOf(run);
    expect(check('summary', without)).not.toEqual([]);
  });
});

describe('what is kept', () => {
  const folder = (): string =>
    join(
      store,
      readdirSync(store).find((name) => !name.includes('sweep'))!,
    );

  test('plan.json, exchanges, answers and summary, and the plan fits its schema', () => {
    expect(readdirSync(folder()).toSorted()).toEqual([
      'answers.ndjson',
      'exchanges.ndjson',
      'plan.json',
      'summary.json',
      'telemetry.ndjson',
    ]);
    const plan = JSON.parse(readFileSync(join(folder(), 'plan.json'), 'utf8')) as Record<string, unknown>;
    expect(check('run', plan)).toEqual([]);
    expect(plan['monotonicOriginNs']).toMatch(/^\d+$/);
  });
  test('no secret is in any file', () => {
    for (const name of readdirSync(store, { recursive: true, encoding: 'utf8' })) {
      const path = join(store, name);
      if (/\.(json|ndjson)$/.test(name)) expect(readFileSync(path, 'utf8')).not.toContain(secret);
    }
  });
  test('a sweep takes other prompts at each point unless told otherwise', async () => {
    const ids = (dir: string): string[] =>
      readFileSync(join(dir, 'exchanges.ndjson'), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as { promptId: string }).promptId);
    const pointsOf = (name: string): string[][] =>
      readdirSync(join(store, name))
        .filter((inner) => !inner.endsWith('.json'))
        .toSorted()
        .map((inner) => ids(join(store, name, inner)));
    const [first, second] = pointsOf(readdirSync(store).find((name) => name.includes('two-points'))!);
    expect(first!.filter((id) => second!.includes(id))).toEqual([]);
    await inStore('sweep', server.url, ...load, '--concurrency', '2,4', '--label', 'same', '--same-prompts', '--quiet');
    const [one, two] = pointsOf(readdirSync(store).find((name) => name.endsWith('same'))!);
    expect(one!.toSorted()).toEqual(two!.toSorted());
  });
});

describe('dyno report', () => {
  test('text says what was asked and measured, without colour off a terminal', async () => {
    const { out, code } = await inStore('report', '第一次 <b>');
    expect(code).toBe(0);
    expect(out).toMatch(/closed loop, concurrency 4, streamed/);
    expect(out).toMatch(/planned 24, ok 24, failed 0/);
    expect(out).not.toContain('\u001b[');
  });
  test("evalscope's dialect is read by the expressions of the evalscope-perf wrapper", async () => {
    const { out } = await inStore('report', 'latest', '--as', 'evalscope');
    // The four figures that wrapper scrapes from the text.
    for (const label of [
      /Average QPS: ([\d.]+)/,
      /Average latency: ([\d.]+)/,
      /Throughput\(average output tokens per second\): ([\d.]+)/,
      /Failed requests: (\d+)/,
    ]) {
      expect(out).toMatch(label);
    }
  });
  test('markdown has a column per point, in Chinese or English', async () => {
    const [zh, en] = [
      await inStore('report', 'two points', '--as', 'markdown', '--lang', 'zh'),
      await inStore('report', 'two points', '--as', 'markdown'),
    ];
    expect(zh.out).toMatch(
      /^\*\*two points · .+\*\*\n+[^|]+\| 指标 \| 2 \| 4 \|\n\| --- \| --- \| --- \|\n\| 用时 \(s\) \| [\d.]+ \| [\d.]+ \|\n\| QPS \|/,
    );
    for (const row of ['延迟 (s)', '吞吐量 (tok/s)', '首 Token p99 (ms)', '延迟 p90 (s)', '失败数'])
      expect(zh.out).toContain(`| ${row} |`);
    expect(en.out).toMatch(/^\*\*two points · .+\*\*\n+[^|]+\| Metric \| 2 \| 4 \|/);
  });
  test('csv has a line per point, json is the summary again', async () => {
    const csv = (await inStore('report', 'two points', '--as', 'csv')).out.trimEnd().split('\n');
    expect(csv).toHaveLength(3);
    const again = JSON.parse((await inStore('report', '第一次 <b>', '--as', 'json')).out) as Summary;
    expect(again).toEqual(summaryOf(run));
  });
  test('an unknown form and an unknown run are told', async () => {
    expect(await inStore('report', 'latest', '--as', 'pdf')).toMatchObject({ code: 2, out: '' });
    const gone = await inStore('report', '../../etc');
    expect(gone.code).toBe(2);
    expect(gone.err).toMatch(/no run/);
  });
});

describe('dyno runs', () => {
  test('lists, tags, filters, shows and deletes', async () => {
    const own = await emptyFolder();
    const at = (...args: string[]): Promise<Done> => dyno(['runs', ...args, '--store', own]);
    expect((await at()).err).toMatch(/Nothing in .* yet/);
    await dyno(['run', server.url, ...load, '--label', 'kept', '--store', own, '--quiet']);
    await dyno(['run', server.url, ...load, '--label', 'gone', '--store', own, '--quiet']);
    expect((await at('tag', 'kept', 'baseline')).out).toBe('baseline\n');
    const tagged = JSON.parse((await at('--tag', 'baseline', '--json')).out) as { runs: { label: string }[] };
    expect(tagged.runs.map(({ label }) => label)).toEqual(['kept']);
    expect((await at('show', 'kept')).out).toMatch(/planned 24/);
    const refused = await at('delete', 'gone');
    expect([refused.code, readdirSync(own).length]).toEqual([2, 2]);
    expect((await at('delete', 'gone', '--yes')).code).toBe(0);
    expect(readdirSync(own)).toHaveLength(1);
    expect(await at('delete', '../x', '--yes')).toMatchObject({ code: 2 });
    expect(existsSync(own)).toBe(true);
  });
});

describe('the command line', () => {
  test('--help lists the commands; the built one helps as the source does', async () => {
    for (const words of [['--help'], ['run', '--help'], ['tune', '--help', '--lang', 'zh']])
      expect((await dyno(words)).out).toBe((await dynoHere(words)).out);
  });
  test('bash accepts the completion script and completes a flag', async () => {
    const script = (await dyno(['completion', 'bash'])).out;
    const file = join(store, 'complete.sh');
    writeFileSync(file, `${script}\nCOMP_WORDS=(dyno run --conc); COMP_CWORD=2; _dyno; echo "\${COMPREPLY[@]}"\n`);
    const { execFileSync } = await import('node:child_process');
    expect(execFileSync('bash', [file], { encoding: 'utf8' })).toBe('--concurrency\n');
  });
  test('a plan file does what the same flags do; flags win', async () => {
    const file = join(store, 'plan.yaml');
    writeFileSync(
      file,
      `url: ${server.url}\nconcurrency: 3\nn: 9\nmax-tokens: 4\nignoreEos: true\nlabel: from a file\nheader:\n  X-Team: a\n`,
    );
    const {
      load: shape,
      counts,
      label,
    } = summaryOf(await inStore('run', file, '--json', '--lenient', '--concurrency', '2'));
    expect([shape.concurrency, counts.ok, label]).toEqual([2, 9, 'from a file']);
  });
  test('a non-streamed run has no TTFT, not a false one', async () => {
    const summary = summaryOf(await inStore('run', server.url, ...load, '--no-stream', '--json'));
    expect([summary.ttftMs, summary.itlMs, summary.tpotMs]).toEqual([null, null, null]);
    expect(summary.latencyMs!.n).toBe(24);
    expect(summary.outputTokens!.mean).toBe(6);
  });
  test('completions are asked for by their path', async () => {
    const summary = summaryOf(await inStore('run', `${server.url}/v1/completions`, ...load, '--json'));
    expect(summary.counts.ok).toBe(24);
    expect(summary.outputTokens!.mean).toBe(6);
  });
});
