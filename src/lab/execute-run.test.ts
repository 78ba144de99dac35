import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { UserError } from '../core/index.ts';
import type { Ended, Runner, RunPlan } from '../core/index.ts';
import type { RunWriter } from '../results/store/index.ts';
import { executeRun, SummaryNotKept } from './execute-run.ts';
import type { LiveFigures } from './execute-run.ts';

const folder = mkdtempSync(join(tmpdir(), 'llmdyno-execute-'));
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true, force: true });
});

const plan: RunPlan = {
  label: null,
  target: {
    url: 'http://127.0.0.1:1/v1/chat/completions',
    api: 'openai-chat',
    model: 'm',
    headers: {},
    keyEnv: null,
    insecure: false,
  },
  dataset: { spec: 'x', kind: 'x', name: 'x', hash: null, items: 1, bytes: null, offset: 0, cycled: true },
  generation: { stream: true, maxTokens: 8, minTokens: null, temperature: null, ignoreEos: false, stop: [], body: {} },
  load: { kind: 'open', concurrency: null, ratePerSec: 10, arrival: { process: 'poisson' }, dropLate: false },
  requests: null,
  durationMs: 3_600_000,
  warmup: null,
  timeouts: { connectMs: 10_000, ttftMs: null, readMs: 300_000, totalMs: 3_600_000 },
  seed: 1,
  slo: [],
  keepText: false,
  stopWhen: ['time>3s'],
};

test('a silent server: the run is shown and its rules are asked though nothing ends', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  let nowMs = 0;
  let stopped = false;
  // Nothing ever ends; whoever stops the sending ends the run.
  const runner: Runner = {
    simulated: false,
    run: (_, stops) => ({
      [Symbol.asyncIterator]: () => ({
        next: () =>
          new Promise((resolve) =>
            stops.drain.addEventListener('abort', () => {
              stopped = true;
              resolve({ done: true, value: undefined });
            }),
          ),
      }),
    }),
    monotonicOriginNs: null,
    health: () => null,
    state: () => ({
      nowMs,
      due: Math.floor(nowMs / 100),
      sent: Math.floor(nowMs / 100),
      inFlight: Math.floor(nowMs / 100),
      ok: 0,
      failed: 0,
    }),
  };
  const writer = {
    dir: folder,
    runId: 'x',
    record: { startedAt: '2026-11-15T00:00:00.000Z' },
    append: () => null,
    abort: async () => {},
    finish: async () => {},
  } as unknown as RunWriter;
  const shown: LiveFigures[] = [];
  const never = new AbortController().signal;
  const running = executeRun({
    plan,
    runner,
    writer,
    stops: { drain: never, cancel: never },
    onProgress: (progress) => shown.push(progress),
  });
  while (!stopped && nowMs < 60_000) {
    nowMs += 500;
    await vi.advanceTimersByTimeAsync(500);
  }
  const summary = await running;
  expect(summary.stoppedBecause).toMatchObject({ rule: 'time>3s' });
  expect(summary.partial).toBe(true);
  expect(nowMs).toBeLessThanOrEqual(4000);
  expect(shown.map(({ state, warmup }) => [state.inFlight, warmup]).slice(0, 3)).toEqual([
    [5, false],
    [10, false],
    [15, false],
  ]);
});

const unsent = {
  promptId: 'p',
  connectMs: null,
  firstByteMs: null,
  chunks: { atMs: [], tokens: [], kinds: '' },
  inputTokens: { planned: null, server: null, client: null },
  outputTokens: { planned: null, server: null, client: null },
  cachedTokens: null,
  reasoningTokens: null,
  inputChars: 0,
  outputChars: 0,
  finish: null,
  httpStatus: null,
  attempts: 0,
  problem: { code: 'dropped-late', status: null, settings: null },
};

/** A run of one record whose folder refuses something. */
function refused(refusing: 'append' | 'finish', sent: number): Promise<unknown> {
  const full = new UserError({ code: 'disk-full', message: { en: 'full', zh: '满' }, hint: { en: '', zh: '' } });
  const exchange = { seq: 0, outcome: 'dropped', labels: {}, warmup: false, dueMs: 0, sentMs: null, endMs: 1 };
  const ended = { exchange: { ...unsent, ...exchange }, answer: null } as unknown as Ended;
  const runner: Runner = {
    simulated: true,
    run: async function* run() {
      yield ended;
    },
    monotonicOriginNs: null,
    health: () => null,
    state: () => ({ nowMs: 1, due: 1, sent, inFlight: 0, ok: 0, failed: 0 }),
  };
  const writer = {
    dir: folder,
    runId: 'x',
    record: { startedAt: '2026-11-15T00:00:00.000Z' },
    append: () => {
      if (refusing === 'append') throw full;
      return null;
    },
    abort: () => Promise.reject(full),
    finish: () => (refusing === 'finish' ? Promise.reject(full) : Promise.resolve()),
  } as unknown as RunWriter;
  const never = new AbortController().signal;
  return executeRun({ plan, runner, writer, stops: { drain: never, cancel: never } }).catch((error: unknown) => error);
}

test('a full disk in the middle of a run is told as what it is: requests were sent', async () => {
  expect(await refused('append', 1)).toMatchObject({ exitCode: 6, mistakes: [{ code: 'disk-full' }] });
  expect(await refused('append', 0)).toMatchObject({ exitCode: 2 });
});

test('figures that a folder does not take are not lost with it', async () => {
  const error = await refused('finish', 1);
  expect(error).toBeInstanceOf(SummaryNotKept);
  expect(error).toMatchObject({ exitCode: 6, mistakes: [{ code: 'disk-full' }], summary: { counts: { dropped: 1 } } });
});
