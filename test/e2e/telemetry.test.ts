import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dyno, emptyFolder, engine, summaryOf } from './dyno.ts';
import type { Engine } from './dyno.ts';

const fixtures = join(import.meta.dirname, '../fixtures/hardware-devices');

interface ServerLine {
  kind: string;
  atMs: number;
  tookMs: number;
  running: number;
  waiting: number;
}
interface Flight {
  warmup: boolean;
  sentMs: number | null;
  endMs: number;
  chunks: { emittedMs: number[] };
}

let server: Engine;
beforeAll(async () => {
  server = await engine(['--stamp']);
});
afterAll(async () => {
  await server.stop();
});

async function linesOf<T>(store: string, file: string): Promise<T[]> {
  const run = (await readdir(store)).find((name) => !name.startsWith('.'));
  const text = await readFile(join(store, run!, file), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);
}

/** A folder with a stand-in for nvidia-smi. */
async function standIn(body: string): Promise<string> {
  const folder = join(await emptyFolder(), 'bin');
  await mkdir(folder);
  await writeFile(join(folder, 'nvidia-smi'), `#!/bin/sh\n${body}\n`);
  await chmod(join(folder, 'nvidia-smi'), 0o755);
  return folder;
}

const short = [
  '--concurrency',
  '4',
  '-n',
  '16',
  '--max-tokens',
  '80',
  '--ignore-eos',
  '--json',
  '--quiet',
  '--lenient',
];

describe('telemetry of a run', () => {
  test('running + waiting as scraped is what the server had in flight when it was asked', async () => {
    const store = await emptyFolder();
    const done = await dyno(['run', server.url, ...short, '--store', store]);
    expect(done.code).toBe(0);
    const scraped = (await linesOf<ServerLine>(store, 'telemetry.ndjson')).filter((line) => line.kind === 'server');
    const flights = (await linesOf<Flight>(store, 'exchanges.ndjson')).filter((flight) => flight.sentMs !== null);
    expect(scraped.length).toBeGreaterThan(3);
    for (const { atMs, tookMs, running, waiting } of scraped) {
      // The server counts at some moment while it is asked, which takes long where it gets no time.
      const [fromMs, toMs] = [atMs - tookMs, atMs + tookMs];
      // It surely has a request between two of the tokens that it stamped, and perhaps from its sending to its end.
      const surely = flights.filter(
        ({ chunks: { emittedMs } }) => emittedMs[0]! <= fromMs && toMs <= emittedMs.at(-2)!,
      );
      const perhaps = flights.filter(({ sentMs, endMs }) => sentMs! <= toMs && fromMs <= endMs);
      expect(running + waiting).toBeGreaterThanOrEqual(surely.length);
      expect(running + waiting).toBeLessThanOrEqual(perhaps.length);
    }
    const summary = summaryOf(done);
    expect(summary.server).toMatchObject({ flavour: 'vllm', missing: [] });
    const { max } = (summary.server as { running: { max: number } }).running;
    expect(max).toBeLessThanOrEqual(4);
    expect(max).toBe(Math.max(...scraped.map(({ running }) => running)));
  });

  test('cards are sampled on the run’s clock; energy follows from their power', async () => {
    const path = await standIn(
      `cat <<'END'\nindex, name, memory.total [MiB], memory.used [MiB], utilization.gpu [%], temperature.gpu, power.draw [W]\n0, NVIDIA H200, 100000 MiB, 90000 MiB, 98 %, 60, 500.00 W\nEND`,
    );
    const store = await emptyFolder();
    const done = await dyno(['run', server.url, ...short, '--store', store], {
      env: { PATH: `${path}:/usr/bin:/bin` },
    });
    const { devices, durationMs, outputTokensPerSec, engine: behind } = summaryOf(done);
    const told = devices as { energyJ: number; tokensPerJoule: number; memoryMarginRatio: number };
    expect(told.energyJ).toBeCloseTo((500 * durationMs!) / 1000, -1);
    expect(told.tokensPerJoule).toBeCloseTo(outputTokensPerSec! / 500, 2);
    expect(told.memoryMarginRatio).toBeCloseTo(0.1, 6);
    // The report draws what was sampled, says what the server did, and that nobody real answered.
    expect(behind).toEqual({ server: 'llmdyno-engine (simulated)', simulated: true });
    const page = join(store, 'page.html');
    await dyno(['report', 'latest', '--as', 'html', '--out', page, '--store', store]);
    const html = await readFile(page, 'utf8');
    for (const words of ['Power (W)', 'Memory in use (GiB)', 'running (server)', 'KV cache in use (%)'])
      expect(html).toContain(words);
    expect(html).toContain('Simulated engine: the load was real');
    expect(html).toMatch(/server: KV at most \d+ %/);
    const text = await dyno(['report', 'latest', '--store', store, '--lang', 'zh']);
    expect(text.out).toContain('[模拟引擎：负载真实，应答的引擎为模拟]');
    expect(text.out).toMatch(/服务器：KV 最高 \d+ %/);
  });

  test('a tool that hangs: the run goes on, its figures stand, and telemetry says what is missing', async () => {
    const path = await standIn('sleep 30');
    const done = await dyno(['run', server.url, ...short, '--store', await emptyFolder()], {
      env: { PATH: `${path}:/usr/bin:/bin` },
    });
    const summary = summaryOf(done);
    expect(summary.counts.ok).toBe(16);
    expect(JSON.stringify(summary.server)).toContain('"flavour":"vllm"');
    expect((summary.devices as { missing: { who: string }[] }).missing[0]!.who).toBe('nvidia-smi');
  });

  test('nothing is watched when nothing is to be', async () => {
    const store = await emptyFolder();
    const done = await dyno([
      'run',
      server.url,
      '-n',
      '2',
      '--max-tokens',
      '4',
      '--json',
      '--quiet',
      '--devices',
      'none',
      '--metrics',
      'none',
      '--lenient',
      '--store',
      store,
    ]);
    expect(summaryOf(done)).toMatchObject({ server: null, devices: null });
    const [run] = await readdir(store);
    expect(await readdir(join(store, run!))).not.toContain('telemetry.ndjson');
  });

  test('a page that is not there is told, and a wrong word is refused', async () => {
    const flags = [
      'run',
      server.url,
      '-n',
      '2',
      '--max-tokens',
      '4',
      '--json',
      '--quiet',
      '--lenient',
      '--devices',
      'none',
    ];
    const gone = await dyno([...flags, '--metrics', `${server.url}/nowhere`, '--store', await emptyFolder()]);
    expect((summaryOf(gone).server as { missing: { why: string }[] }).missing[0]!.why).toContain('HTTP 404');
    expect((await dyno([...flags, '--metrics', 'sometimes'])).code).toBe(2);
  });
});

describe('dyno devices', () => {
  test('a captured output as JSON, in the keys of the contract', async () => {
    const done = await dyno(['devices', '--from', join(fixtures, 'mx-smi-2.1.6.txt'), '--json']);
    const { schema, devices } = JSON.parse(done.out) as { schema: string; devices: Record<string, unknown>[] };
    expect(schema).toBe('llmdyno.devices/1');
    expect(devices[0]).toMatchObject({
      vendor: 'metax',
      index: 0,
      name: 'MXC500',
      memoryTotalBytes: 65536 * 1024 ** 2,
      memoryUsedBytes: 60982 * 1024 ** 2,
      utilizationRatio: 0,
      powerW: 71,
      temperatureC: 51,
    });
  });

  test('a host without tools has no cards, and says why', async () => {
    const done = await dyno(['devices', '--json'], { env: { PATH: '/nonexistent' } });
    expect(done.code).toBe(0);
    expect(JSON.parse(done.out)).toMatchObject({ devices: [], warnings: ['no device tool is on this host'] });
  });

  test('a file that is not there and a tool nobody knows are mistakes', async () => {
    expect((await dyno(['devices', '--from', '/nonexistent'])).code).toBe(2);
    expect((await dyno(['devices', '--tool', 'gpu-z'])).code).toBe(2);
  });
});

describe('dyno doctor', () => {
  test('host, client and engine: every check answers, in both languages', async () => {
    for (const lang of ['en', 'zh']) {
      const done = await dyno(['doctor', server.url, '--json', '--lang', lang]);
      expect(done.code).toBe(0);
      const { schema, checks } = JSON.parse(done.out) as {
        schema: string;
        checks: { code: string; status: string; evidence: string }[];
      };
      expect(schema).toBe('llmdyno.doctor/1');
      const byCode = Object.fromEntries(checks.map((one) => [one.code, one.status]));
      expect(byCode).toMatchObject({
        reachable: 'ok',
        'model-listed': 'ok',
        'usage-in-stream': 'ok',
        'ignore-eos': 'ok',
        'keep-alive': 'ok',
        'clock-skew': 'ok',
      });
      for (const one of checks)
        expect([one.code, ['ok', 'warn', 'bad', 'unknown'].includes(one.status), one.evidence !== '']).toEqual([
          one.code,
          true,
          true,
        ]);
    }
  });

  test('an engine that is not there is one bad check, not a crash, and no success', async () => {
    const done = await dyno(['doctor', 'http://127.0.0.1:9', '--json']);
    expect(done.code).toBe(3);
    expect(done.out).toContain('"code": "reachable"');
  });

  test('captured outputs of the published host: bind to node 0', async () => {
    const file = join(await emptyFolder(), 'host.txt');
    const text = await Promise.all(
      ['numactl-8-nodes.txt', 'mx-smi-topo.txt'].map((name) => readFile(join(fixtures, name), 'utf8')),
    );
    await writeFile(file, text.join('\n'));
    const { checks } = JSON.parse((await dyno(['doctor', '--from', file, '--json'])).out) as {
      checks: { code: string; fix: string }[];
    };
    expect(checks.find((one) => one.code === 'numa-binding')!.fix).toContain('numactl -N0 -m0');
  });

  test('several captured outputs are one host, and nothing is said of this machine', async () => {
    const given = ['lscpu-full-width.txt', 'npu-smi-910b3.txt'].flatMap((name) => ['--from', join(fixtures, name)]);
    const { checks } = JSON.parse((await dyno(['doctor', ...given, '--json'])).out) as {
      checks: { code: string; group: string; evidence: string; fix: string }[];
    };
    expect(checks.every((one) => one.group === 'host')).toBe(true);
    expect(checks.find((one) => one.code === 'numa-binding')!.fix).toContain('taskset -c 24-47');
    expect(checks.find((one) => one.code === 'transparent-huge-pages')!.evidence).toBe('not in what you gave');
    expect((await dyno(['devices', ...given])).out).toContain('taskset -c 24-47 ./bin/mindieservice_daemon');
  });
});
