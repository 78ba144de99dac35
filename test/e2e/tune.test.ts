import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tuneSchema } from '../../src/advice/tune/index.ts';
import type { TuneDocument } from '../../src/advice/tune/index.ts';
import { dyno, emptyFolder, start } from './dyno.ts';
import type { Done } from './dyno.ts';
import { freePort } from '../free-port.ts';
import { original, tuneBench } from './tune-bench.ts';

const dynoMain = join(import.meta.dirname, '../../dist/cli/main.js');

function documentOf(done: Done): TuneDocument {
  return tuneSchema.parse(JSON.parse(done.out));
}

/** Processes of the fixture's server on this port. */
async function serversOn(port: number): Promise<number> {
  let count = 0;
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (line.includes('server.mjs') && line.split('\0').includes(String(port))) count += 1;
  }
  return count;
}

describe('dyno tune with an evaluate command', () => {
  async function evaluated(script: string, more: string): Promise<Done> {
    const dir = await emptyFolder();
    await writeFile(join(dir, 'evaluate.mjs'), script);
    const file = join(dir, 'tune.yaml');
    await writeFile(file, `evaluate: ${process.execPath} ${join(dir, 'evaluate.mjs')}\n${more}\n`);
    return dyno(['tune', file, '--json', '--quiet', '--store', join(dir, 'runs')]);
  }
  /** Throughput grows with the batch and saturates; a step takes 10 ms and 0.1 ms for each in the batch. */
  const engine = (extra = ''): string => `
    let text = ''; for await (const piece of process.stdin) text += piece;
    const { settings, load, seed } = JSON.parse(text);
    const b = settings.maxBatchSize; ${extra}
    const wave = 1 + 0.005 * Math.sin(seed);
    const tpot = (10 + 0.1 * b) * wave;
    console.log(JSON.stringify({ outputTokensPerSec: (1000 * b) / tpot, ttftMs: 50, tpotMs: tpot, counts: { planned: 100, ok: 100 } }));`;
  const space = 'space: {maxBatchSize: {from: 4, to: 400}}\nload: {concurrency: 400}\n';

  test('finds the batch that a limit allows, confirms it, and says so in the document', async () => {
    const done = await evaluated(engine(), `${space}slo: [tpot.mean<25ms]`);
    const tune = documentOf(done);
    expect(done.code).toBe(0);
    expect(tune.best).toMatchObject({ confirmed: true, feasible: true });
    // 10 + 0.1 b = 25 at b = 150.
    expect(tune.best!.settings['maxBatchSize']).toBeLessThanOrEqual(150);
    expect(tune.best!.settings['maxBatchSize']).toBeGreaterThanOrEqual(135);
    expect(tune.runs).toBeLessThanOrEqual(10);
    expect(tune.running).toBe(false);
    expect(tune.binding?.slo).toBe('tpot.mean<25ms');
    const fresh = tune.trials.filter(({ phase }) => phase === 'confirm');
    expect(new Set(tune.trials.map(({ seed }) => seed)).size).toBe(tune.trials.length);
    expect(fresh.length).toBeGreaterThanOrEqual(2);
  });

  test('an engine that crashes for half of the space is tuned in the other half, and every crash keeps its cause', async () => {
    const crash = `if (b > 100) { console.error('CUDA error: illegal address'); process.exit(1); }`;
    const tune = documentOf(await evaluated(engine(crash), `${space}slo: [tpot.mean<25ms]`));
    const crashed = tune.trials.filter(({ outcome }) => outcome === 'crashed');
    expect(crashed.length).toBeGreaterThan(0);
    expect(crashed.every(({ cause }) => cause!.includes('illegal address'))).toBe(true);
    expect(tune.best!.confirmed).toBe(true);
    expect(tune.best!.settings['maxBatchSize']).toBeLessThanOrEqual(100);
    expect(tune.best!.settings['maxBatchSize']).toBeGreaterThan(50);
  });

  test('an SLO that nothing meets ends with 4, and the nearest is told as not good enough', async () => {
    const done = await evaluated(engine(), `${space}slo: [tpot.mean<8ms]`);
    const tune = documentOf(done);
    expect(done.code).toBe(4);
    expect(tune.best).toMatchObject({ confirmed: false, feasible: false });
    expect(tune.words.en).toMatch(/NOT good enough/);
    expect(tune.words.zh).toMatch(/不达标/);
  });

  test('an error told in JSON, an answer that is none, and out of memory are observations', async () => {
    const odd = `if (b > 300) { console.log(JSON.stringify({ error: 'CUDA out of memory' })); process.exit(0); }
      if (b < 8) { console.log('hello'); process.exit(0); }`;
    const tune = documentOf(await evaluated(engine(odd), `${space}slo: [tpot.mean<45ms]`));
    const outcomes = new Set(tune.trials.map(({ outcome }) => outcome));
    expect(outcomes.has('oom') || outcomes.has('ok')).toBe(true);
    expect(tune.best!.confirmed).toBe(true);
  });

  test('variants: a real difference is found, and the table says which', async () => {
    const arms = `const slow = settings.engine === 'b' ? 0.9 : 1;`;
    const script = engine(arms).replace('(1000 * b) / tpot', 'slow * (1000 * b) / tpot');
    const tune = documentOf(
      await evaluated(
        script,
        'space: {maxBatchSize: 64}\nload: {concurrency: 64}\nvariants: {a: {engine: a}, b: {engine: b}, c: {engine: a}}\nrepeats: 4',
      ),
    );
    expect(tune.variants.map(({ verdict }) => verdict)).toEqual(['baseline', 'worse', 'no-difference']);
    expect(tune.stoppedBecause).toBe('variants-done');
    expect(tune.runs).toBe(12);
  });
});

describe('mistakes are told before anything is touched', () => {
  test('SLOs that contradict each other, an unknown path and a read-only config, each with its place', async () => {
    const { file, config, store } = await tuneBench('good', 'slo: [ttft.mean<1s, ttft.min>2s]');
    const contradiction = await dyno(['tune', file, '--store', store]);
    expect(contradiction.code).toBe(2);
    expect(contradiction.err).toMatch(/tune\.yaml:\d+ slo: .*cannot both hold/);
    await writeFile(
      file,
      (await readFile(file, 'utf8'))
        .replace('slo: [ttft.mean<1s, ttft.min>2s]', '')
        .replace('schedule.batch', 'Schedule.Batch'),
    );
    await chmod(config, 0o444);
    const unknown = await dyno(['tune', file, '--store', store]);
    expect(unknown.code).toBe(2);
    expect(unknown.err).toMatch(/has no "Schedule\.Batch"/);
    expect(unknown.err).toMatch(/Did you mean schedule\.batch/);
    expect(unknown.err).toMatch(/read-only/);
    expect(await readFile(config, 'utf8')).toBe(original);
  });

  test('a dry run changes nothing and shows the first trials', async () => {
    const { file, config, store } = await tuneBench('good');
    const done = await dyno(['tune', file, '--dry-run', '--store', store]);
    expect(done.code).toBe(0);
    expect(done.out).toMatch(/1\. batch=8 concurrency=4[\s\S]*nothing was changed/);
    expect(await readFile(config, 'utf8')).toBe(original);
    expect(await readdir(store).catch(() => [])).toEqual([]);
  });
});

describe('a server that dyno starts itself', () => {
  test('settings go through the config, load-only changes need no restart, and the original comes back', async () => {
    const { file, config, store, port } = await tuneBench('good', 'budget: {runs: 4}');
    const done = await dyno(['tune', file, '--json', '--store', store]);
    const tune = documentOf(done);
    expect(tune.trials.every(({ outcome }) => outcome === 'ok')).toBe(true);
    expect(tune.best).not.toBeNull();
    expect(tune.restarts).toBeLessThan(tune.runs);
    expect(tune.patch.files[0]!.set).toEqual({ 'schedule.batch': tune.best!.settings['batch'] });
    expect(await readFile(config, 'utf8')).toBe(original);
    expect(await serversOn(port)).toBe(0);
    const [folder] = await readdir(store);
    expect(tuneSchema.parse(JSON.parse(await readFile(join(store, folder!, 'tune.json'), 'utf8'))).running).toBe(false);
    expect(await readdir(join(store, folder!))).toEqual(
      expect.arrayContaining(['journal.ndjson', 'tune-trials.svg', 'tune-trials.png']),
    );
    const listed = JSON.parse((await dyno(['runs', '--json', '--store', store])).out) as { runs: object[] };
    expect(listed.runs).toMatchObject([{ kind: 'tune', id: folder, finished: true }]);
    expect((await dyno(['runs', 'show', folder!, '--store', store])).out).toContain(tune.words.en);
  });

  test('trials watch the cards where the file says so', async () => {
    const { dir, file, store } = await tuneBench('good', 'budget: {runs: 1}');
    await writeFile(file, (await readFile(file, 'utf8')).replace('devices: none', 'devices: auto'));
    await mkdir(join(dir, 'bin'));
    const sheet =
      'index, name, memory.total [MiB], memory.used [MiB], utilization.gpu [%], temperature.gpu, power.draw [W]\n' +
      '0, NVIDIA H200, 100000 MiB, 90000 MiB, 98 %, 60, 500.00 W';
    await writeFile(join(dir, 'bin/nvidia-smi'), `#!/bin/sh\ncat <<'END'\n${sheet}\nEND\n`);
    await chmod(join(dir, 'bin/nvidia-smi'), 0o755);
    const env = { PATH: `${join(dir, 'bin')}:/usr/bin:/bin` };
    const tune = documentOf(await dyno(['tune', file, '--json', '--store', store], { env }));
    expect(tune.trials.map(({ outcome }) => outcome)).toEqual(['ok']);
    const [folder] = await readdir(store);
    const run = (await readdir(join(store, folder!), { withFileTypes: true })).find((entry) => entry.isDirectory())!;
    const seen = await readFile(join(store, folder!, run.name, 'telemetry.ndjson'), 'utf8');
    expect(seen).toContain('"tool":"nvidia-smi"');
  });

  test.each([
    ['never-ready', 'not-ready', 'timeout: 120s', 'timeout: 1500ms'],
    ['lies', 'lying-ready', '', ''],
    ['crash-above=1', 'crashed', '', ''],
    ['oom-above=1', 'oom', '', ''],
  ])('%s is told as %s, nothing is recommended, and the config comes back', async (manners, outcome, from, to) => {
    const { file, config, store, port } = await tuneBench(manners, 'budget: {runs: 2}');
    await writeFile(file, (await readFile(file, 'utf8')).replace(from, to));
    const done = await dyno(['tune', file, '--json', '--store', store]);
    const tune = documentOf(done);
    expect(done.code).toBe(3);
    expect(tune.trials.map((trial) => trial.outcome)).toEqual([outcome, outcome]);
    expect(tune.trials.every(({ cause }) => cause !== null && cause !== '')).toBe(true);
    expect(tune.best).toBeNull();
    expect(await readFile(config, 'utf8')).toBe(original);
    expect(await serversOn(port)).toBe(0);
  });

  test('memory is raised until the server says it has no more, then stepped back', async () => {
    const { file, store } = await tuneBench('oom-above=11', 'budget: {runs: 9}', {
      space: 'batch: {from: 2, to: 32, start: 6, role: memory, raise: {back: 2}}',
    });
    const tune = documentOf(await dyno(['tune', file, '--json', '--store', store]));
    expect(tune.trials.some(({ outcome, cause }) => outcome === 'oom' && cause!.includes('Npu out of memory'))).toBe(
      true,
    );
    // 12 fails, so that 10 is the most that is used.
    expect(tune.best!.settings['batch']).toBeLessThanOrEqual(10);
    expect(tune.trials.some(({ settings, outcome }) => settings['batch'] === 11 && outcome === 'ok')).toBe(true);
  });

  test('a server that goes silent is never read as slow', async () => {
    const { file, store } = await tuneBench('silent-after=90', 'budget: {runs: 3}');
    const tune = documentOf(await dyno(['tune', file, '--json', '--store', store]));
    const silent = tune.trials.filter(({ outcome }) => outcome === 'stopped-answering');
    const [folder] = await readdir(store);
    const journal = await readFile(join(store, folder!, 'journal.ndjson'), 'utf8');
    expect(silent.length > 0 || journal.includes('"kind":"health"')).toBe(true);
    expect(tune.best?.trials.some((number) => silent.some((trial) => trial.number === number)) ?? false).toBe(false);
  });

  test('Ctrl-C restores the config, ends the server and tells what there is', async () => {
    const { file, config, store, port } = await tuneBench('good');
    const running = start(['tune', file, '--json', '--store', store]);
    await running.until('err', /trial 2\/10/);
    running.child.kill('SIGINT');
    running.child.kill('SIGINT');
    const done = await running.done;
    expect(done.code).toBe(130);
    expect(documentOf(done).stoppedBecause).toBe('interrupted');
    expect(await readFile(config, 'utf8')).toBe(original);
    expect(await serversOn(port)).toBe(0);
  });

  test('after kill -9 the next start restores the config and ends the stray server; --resume goes on with the journal', async () => {
    const { file, config, store, port } = await tuneBench('good', 'budget: {runs: 3}');
    const killed = start(['tune', file, '--store', store]);
    await killed.until('err', /trial 2\/3/);
    await expect.poll(() => serversOn(port), { timeout: 120_000 }).toBe(1);
    killed.child.kill('SIGKILL');
    await killed.done;
    expect(await readFile(config, 'utf8')).not.toBe(original);
    const restored = await dyno(['tune', '--restore', '--store', store]);
    expect(restored.err).toMatch(/restored .*config\.json/);
    expect(await readFile(config, 'utf8')).toBe(original);
    expect(await serversOn(port)).toBe(0);
    const [folder] = await readdir(store);
    const told = tuneSchema.parse(JSON.parse(await readFile(join(store, folder!, 'tune.json'), 'utf8')));
    expect(told.running).toBe(false);
    const tune = documentOf(await dyno(['tune', file, '--resume', 'latest', '--json', '--store', store]));
    expect(tune.tuneId).toBe(folder);
    expect(tune.trials[0]).toEqual(told.trials[0]);
    expect(tune.runs).toBe(3);
    expect(await readFile(config, 'utf8')).toBe(original);
    expect(await serversOn(port)).toBe(0);
  });

  test('a config that somebody changed after the kill is left alone', async () => {
    const { file, config, store } = await tuneBench('good');
    const killed = start(['tune', file, '--store', store]);
    await killed.until('err', /trial 2\/10/);
    killed.child.kill('SIGKILL');
    await killed.done;
    await writeFile(config, '{"schedule": {"batch": 5}}');
    const restored = await dyno(['tune', '--restore', '--store', store]);
    expect(restored.err).toMatch(/left alone; its original lies in/);
    expect(await readFile(config, 'utf8')).toBe('{"schedule": {"batch": 5}}');
  });

  test('a file named pause holds the next trial back', async () => {
    const { file, store } = await tuneBench('good', 'budget: {runs: 2}');
    const running = start(['tune', file, '--json', '--store', store]);
    await running.until('err', /trial 1\/2/);
    const [folder] = await readdir(store);
    const pause = join(store, folder!, 'pause');
    await mkdir(join(store, folder!), { recursive: true });
    await writeFile(pause, '');
    const journal = (): Promise<string> => readFile(join(store, folder!, 'journal.ndjson'), 'utf8');
    await expect.poll(journal, { timeout: 120_000 }).toMatch(/"kind":"paused"/);
    await rm(pause);
    expect(documentOf(await running.done).runs).toBe(2);
  });
});

describe('a server whose scheduling the simulator knows', () => {
  test('is known from the requests of its trials, and from their summaries once their folders are gone', async () => {
    const dir = await emptyFolder();
    const [file, store, port] = [join(dir, 'tune.yaml'), join(dir, 'runs'), await freePort()];
    await writeFile(
      file,
      `engine: vllm
url: http://127.0.0.1:${port}
start: {command: "${process.execPath} ${dynoMain} engine --port ${port} --speed 5 --scheduler vllm-v1 --set max_num_seqs={max_num_seqs}", stopTimeout: 5s}
ready: {url: "http://127.0.0.1:${port}/health", timeout: 120s}
space: {max_num_seqs: [2, 4, 8, 16, 24]}
load: {concurrency: 12}
workload: {lenient: true, requests: 60, input-tokens: 40, output-tokens: 12, devices: none, metrics: none}
`,
    );
    const first = documentOf(await dyno(['tune', file, '--json', '--quiet', '--runs', '5', '--store', store]));
    expect(first.trials.map(({ outcome }) => outcome)).toEqual(Array(5).fill('ok'));
    expect(first.trials.at(-1)!.predicted?.by).toBe('simulator');
    const [folder] = await readdir(store);
    for (const { runId } of first.trials) await rm(join(store, folder!, runId!), { recursive: true });
    const more = ['--resume', 'latest', '--runs', '6'];
    const second = documentOf(await dyno(['tune', file, '--json', '--quiet', ...more, '--store', store]));
    expect(second.trials.slice(0, 5).map(({ figures }) => figures)).toEqual(first.trials.map(({ figures }) => figures));
    expect(second.stoppedBecause).not.toBe('interrupted');
  });
});
