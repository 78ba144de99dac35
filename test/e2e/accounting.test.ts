import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { dyno, emptyFolder, engine, start, summaryOf } from './dyno.ts';
import type { Engine } from './dyno.ts';

/** What fails where: the engine's word for a fault and the client's word for what it must see of it. */
const faults = { reset: 'reset', stall: 'timeout-read', '500': 'http-5xx' } as const;
const flags = ['--speed', '8', '--seed', '5', ...Object.keys(faults).flatMap((name) => ['--fault', `${name}:0.01`])];
const load = [
  '--concurrency',
  '64',
  '-n',
  '2000',
  '--max-tokens',
  '24',
  '--ignore-eos',
  '--read-timeout',
  '10s',
  '--model',
  'any',
  '--no-preflight',
];

let server: Engine | null = null;
afterEach(async () => {
  await server?.stop();
  server = null;
});

function recorded(store: string, run: string): { seq: number; endMs: number }[] {
  const lines = readFileSync(join(store, run, 'exchanges.ndjson'), 'utf8').split('\n');
  return lines.slice(0, -1).map((line) => JSON.parse(line) as { seq: number; endMs: number });
}

describe('2,000 requests at concurrency 64 with resets, stalls and errors', () => {
  test('all are accounted for, each failure under its own cause, and no failure costs a slot', async () => {
    const store = await emptyFolder();
    server = await engine([...flags, '--model', 'any']);
    const done = await dyno(['run', server.url, ...load, '--json', '--lenient', '--store', store]);
    const { counts, steady, verdict, client } = summaryOf(done);
    const said = (await server.stop()).err;
    server = null;
    expect(done.code).toBe(0);
    expect(counts.planned).toBe(2000);
    expect(counts.ok + counts.failed + counts.cancelled + counts.dropped).toBe(2000);
    expect(counts.unaccounted).toBe(0);
    // The engine counts the faults it hands out by itself; the client must see just as many of each.
    const injected = Object.fromEntries(
      Object.entries(faults).map(([fault, cause]) => [cause, Number(new RegExp(`\\b${fault} (\\d+)`).exec(said)![1])]),
    );
    expect(counts.byProblem).toEqual(injected);
    // A slot is empty from the end of one request to the send of the next: for longer where others had the client's core.
    const starved = (client?.cpuWaitRatio ?? 0) > 0.05;
    expect(steady!.concurrencyAchieved!).toBeGreaterThanOrEqual((starved ? 0.9 : 0.97) * 64);
    expect(verdict.findings.map(({ code }) => code)).not.toContain('concurrency-not-reached');
    expect(recorded(store, readdirSync(store)[0]!)).toHaveLength(2000);
  });

  test('killed in the middle, everything that had finished and been written is readable, and the report says partial', async () => {
    const store = await emptyFolder();
    server = await engine([...flags, '--model', 'any']);
    // So many that it is in the middle, however late the kill comes.
    const planned = 20_000;
    const running = start(['run', server.url, ...load, '-n', String(planned), '--store', store]);
    const file = (): string => join(store, readdirSync(store)[0]!, 'exchanges.ndjson');
    const linesNow = (): number => {
      try {
        return readFileSync(file(), 'utf8').split('\n').length - 1;
      } catch {
        return 0;
      }
    };
    // The engine says how many it has answered: that is what must have reached the disk.
    const answered = async (): Promise<number> => {
      const page = await (await fetch(`${server!.url}/metrics`)).text();
      const counts = [...page.matchAll(/^vllm:request_success_total\{[^}]*\} (\d+)/gm)];
      return counts.reduce((sum, [, count]) => sum + Number(count), 0);
    };
    while ((await answered()) < 1000) await new Promise((resolve) => setTimeout(resolve, 20));
    const finished = await answered();
    // Records come to the disk while the run goes on; how soon is a law of the writer, tested there.
    while (linesNow() < finished) await new Promise((resolve) => setTimeout(resolve, 20));
    running.child.kill('SIGKILL');
    await running.done;
    expect(linesNow()).toBeGreaterThanOrEqual(finished);
    expect(linesNow()).toBeLessThan(planned);
    const run = readdirSync(store)[0]!;
    const text = await dyno(['report', run, '--store', store]);
    expect(text.code).toBe(0);
    expect(text.out).toMatch(/partial/i);
    const summary = summaryOf(await dyno(['report', run, '--json', '--store', store]));
    const { counts } = summary;
    expect(summary.partial).toBe(true);
    expect(counts.planned).toBe(planned);
    expect(counts.ok + counts.failed + counts.cancelled + counts.dropped + counts.unaccounted).toBe(planned);
    expect(counts.ok + counts.failed).toBe(linesNow());
    const listed = await dyno(['runs', '--store', store]);
    expect(listed.out).toMatch(/partial/);
  });
});

describe('Ctrl-C', () => {
  const long = [
    '--concurrency',
    '4',
    '-n',
    '400',
    '--max-tokens',
    '40',
    '--ignore-eos',
    '--no-preflight',
    '--model',
    'any',
  ];

  async function interrupted(times: number): Promise<{ code: number | null; store: string; out: string; err: string }> {
    const store = await emptyFolder();
    // For the second one something must be in flight however late it comes: answers that never end.
    server = await engine(['--model', 'any', ...(times === 2 ? ['--fault', 'stall:0.2', '--seed', '5'] : [])]);
    const running = start(['run', server.url, ...long, '--json', '--read-timeout', '170s', '--store', store]);
    while (recordedLines(store) < 8) await new Promise((resolve) => setTimeout(resolve, 20));
    running.child.kill('SIGINT');
    if (times === 2) {
      await running.until('err', /Ctrl-C again/);
      running.child.kill('SIGINT');
    }
    const done = await running.done;
    return { ...done, store };
  }

  function recordedLines(store: string): number {
    try {
      return recorded(store, readdirSync(store)[0]!).length;
    } catch {
      return 0;
    }
  }

  test('once: nothing more is sent, what is in flight ends, an honest partial summary, exit 130', async () => {
    const done = await interrupted(1);
    const { counts, partial } = summaryOf(done);
    expect(done.code).toBe(130);
    expect(partial).toBe(true);
    expect(counts.byProblem).toEqual({ 'not-sent': counts.cancelled });
    expect(counts.ok + counts.cancelled).toBe(400);
    expect(counts.ok).toBeGreaterThanOrEqual(8);
    expect(recordedLines(done.store)).toBe(400);
  });

  test('twice: what is in flight is cancelled too', async () => {
    const done = await interrupted(2);
    const { counts } = summaryOf(done);
    expect(done.code).toBe(130);
    expect(counts.byProblem.cancelled).toBeGreaterThan(0);
    expect(counts.ok + counts.cancelled).toBe(400);
  });
});
