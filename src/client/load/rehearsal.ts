import type { AddressInfo } from 'node:net';
import v8 from 'node:v8';
import vm from 'node:vm';
import type { Ended, RunPlan, Workload } from '../../core/index.ts';
import { plainPrompt } from '../../inputs/workload/index.ts';
import { LoadSession } from './load-session.ts';
import { ResultQueue } from './result-queue.ts';
import type { RunClock } from './run-clock.ts';
import { standIn } from './stand-in.ts';

/** The size of a rehearsal: how often, how many answers, on how many streams at the most, and how many a second in an open loop. */
interface Play {
  plays: number;
  answers: number;
  streams: number;
  ratePerSec: number;
}

/** Takes some 0.5 s. Three plays, because V8 compiles code that has met a single session for that session only. */
const largePlay: Play = { plays: 3, answers: 600, streams: 100, ratePerSec: 6000 };
/** Takes some 30 ms. A request whose code has never run would be sent, and its answer read, a millisecond late. */
const smallPlay: Play = { plays: 1, answers: 60, streams: 4, ratePerSec: 2000 };
/** A play that takes longer is cut off. */
const longestMs = 1000;

/** From so many streams, or requests a second, on uncompiled code delays stamps by more than a timer is late. */
const manyStreams = 100;

let rehearsed = false;

/** What is done before a phase. */
export type Rehearsal = typeof rehearse;

/**
 * Before a phase, plays requests against a stand-in server on the loopback device of this process, because V8 compiles code only once it
 * has run often: a run that begins with a thousand streams would stamp the tokens of its first and its last tenth of a second
 * late. Nothing is sent to the server under test; what `makeRecord` makes is called with every exchange, and its result dropped.
 *
 * Before a warm-up only a large load is played, once in a thread. Before the measured part garbage is collected, and the load is played
 * again, because V8 then throws code away that was compiled for objects of which none is left, such as a socket's write.
 */
export async function rehearse(
  plan: RunPlan,
  clock: RunClock,
  phase: 'warmup' | 'measure',
  makeRecord: () => (played: Ended) => void = () => () => {},
): Promise<void> {
  const large = isLarge(plan);
  if (phase === 'warmup' && (rehearsed || !large)) return;
  if (large) widenNursery();
  collectGarbage();
  const server = await standIn();
  // Without a loopback device the run itself is the rehearsal.
  if (server === null) return;
  rehearsed = true;
  const rehearsal = large ? largePlay : smallPlay;
  const played = playedPlan(plan, (server.address() as AddressInfo).port, rehearsal);
  try {
    for (let i = 1; i <= rehearsal.plays; i++) await play(played, clock, makeRecord());
  } finally {
    server.close();
  }
}

async function play(plan: RunPlan, clock: RunClock, record: (played: Ended) => void): Promise<void> {
  const results = new ResultQueue<Ended>();
  const session = new LoadSession({
    plan,
    clock,
    workload: playedPrompts,
    secrets: {},
    behind: null,
    emit: (ending) => results.push(ending),
  });
  const limit = setTimeout(() => session.cancelAll(), longestMs);
  const recorded = recordAll(results, record);
  try {
    await session.prepare('warmup');
    await session.run('warmup', null);
  } finally {
    clearTimeout(limit);
    session.close();
    results.close();
  }
  await recorded;
}

async function recordAll(results: ResultQueue<Ended>, record: (played: Ended) => void): Promise<void> {
  for await (const played of results) {
    // A rehearsal runs like a warm-up but records like the measured phase, so that both paths are compiled.
    played.exchange.warmup = false;
    record(played);
  }
}

/** The plan of a run, made to be played against the stand-in: nothing of its target is told to anybody else. */
function playedPlan(plan: RunPlan, port: number, { streams, answers, ratePerSec }: Play): RunPlan {
  const { reach: _plainly, ...target } = plan.target;
  return {
    ...plan,
    target: { ...target, ...plainTarget, url: `http://127.0.0.1:${port}/` },
    load:
      plan.load.kind === 'closed'
        ? { kind: 'closed', concurrency: streams, ratePerSec: null, arrival: { process: 'closed' }, dropLate: false }
        : { kind: 'open', concurrency: streams, ratePerSec, arrival: { process: 'poisson' }, dropLate: false },
    generation: { ...plan.generation, stream: true },
    warmup: { requests: answers },
    retries: 0,
  };
}

const plainTarget = { api: 'openai-chat' as const, model: 'm', headers: {}, keyEnv: null, insecure: false };

/** Texts as they come: plain, with what JSON has to escape, and beyond Latin. */
const playedTexts = ['A rehearsal.', 'A "rehearsal",\nin two lines.', '彩排（rehearsal）。'];

function playedPrompts(): Workload {
  let count = 0;
  return { next: () => plainPrompt('rehearsal', playedTexts[count++ % playedTexts.length]!) };
}

function isLarge({ load }: RunPlan): boolean {
  return Math.max(load.concurrency ?? 0, load.ratePerSec ?? 0) >= manyStreams;
}

/** The engine's largest nursery for new objects, and what one of those that are made for it takes. */
const nurseryBytes = 16 * 1024 * 1024;
const nurslingBytes = 1024;

/**
 * Makes V8's nursery as large as it gets. It grows while much of what lies in it is in use, as when a thousand streams begin:
 * each step would then be a pause of milliseconds, and the last one a collection of everything.
 */
function widenNursery(): void {
  const one = Array.from({ length: nurslingBytes / 8 }, () => 0);
  const nurslings: number[][] = [];
  for (let bytes = 0; bytes < 2 * nurseryBytes; bytes += nurslingBytes) nurslings.push(one.slice());
}

type Collector = () => void;
let collector: Collector | null | undefined;

/**
 * Collects garbage now, where the engine lets us ask: what was left by starting up and by a warm-up is not collected in
 * the middle of the measured part, where a collection delays every stamp by tens of milliseconds.
 */
function collectGarbage(): void {
  collector ??= findCollector();
  collector?.();
}

function findCollector(): Collector | null {
  try {
    // The only flag that is set: it adds a function to contexts made later, and changes nothing of how V8 works.
    v8.setFlagsFromString('--expose-gc');
    const found: unknown = vm.runInNewContext('gc');
    return typeof found === 'function' ? () => void found() : null;
  } catch {
    return null;
  }
}
