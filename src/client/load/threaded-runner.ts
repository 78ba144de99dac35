import { Worker as Thread } from 'node:worker_threads';
import { BrokenPromise, UserError } from '../../core/index.ts';
import type {
  ClientHealth,
  Ended,
  ResumePoint,
  Runner,
  RunPlan,
  RunState,
  StopRule,
  StopSignals,
} from '../../core/index.ts';
import { recordedEnding } from './lazy-record.ts';
import { joinedHealth } from './joined-health.ts';
import { phasesOf } from './load-session.ts';
import { OrderedEnds } from './ordered-ends.ts';
import { ResultQueue } from './result-queue.ts';
import type { Secrets } from './request-text.ts';
import { runStateTracker } from './run-state-tracker.ts';
import { clockFrom, startClock } from './run-clock.ts';
import { sharedPlaces } from './thread-words.ts';
import type { ThreadData, ThreadOrder, ThreadWord } from './thread-words.ts';

/** A phase begins this long after all threads are ready, so that none hears of it too late. */
const leadMs = 10;

/** What the runner over several threads is given. */
export interface ThreadedParts {
  threads: number;
  /** The file each thread runs; it calls serveLoadThread. */
  entry: URL;
  /** From what the threads make their prompts; plain data. */
  source: unknown;
  secrets: Secrets;
  /** Set for a run that goes on after an interruption. */
  behind?: ResumePoint | null;
}

/** The real runner spread over threads: one schedule and one order of asks, whatever their number. */
export function makeThreadedRunner(parts: ThreadedParts): Runner {
  const behind = parts.behind ?? null;
  const clock = behind === null ? startClock() : clockFrom(behind.clockMs);
  const { threads } = parts;
  const shared = new SharedArrayBuffer(4 * sharedPlaces.length(threads));
  const numbers = new Int32Array(shared);
  let healths: ClientHealth[] = [];
  const progress = (): Omit<RunState, 'ok' | 'failed'> => {
    const sum = { nowMs: clock.nowMs(), due: 0, sent: 0, inFlight: 0, heardTokens: 0 };
    let heardMs = 0;
    for (let i = 0; i < threads; i++) {
      const at = sharedPlaces.progress(i);
      sum.due += Atomics.load(numbers, at);
      sum.sent += Atomics.load(numbers, at + 1);
      sum.inFlight += Atomics.load(numbers, at + 2);
      heardMs = Math.max(heardMs, Atomics.load(numbers, at + 3));
      sum.heardTokens += Atomics.load(numbers, at + 4);
    }
    return { ...sum, heardMs: heardMs > 0 ? heardMs : null };
  };
  const tracker = runStateTracker(progress);

  const run = (plan: RunPlan, stops: StopSignals, rules: readonly StopRule[]): AsyncIterable<Ended> => {
    const results = new ResultQueue<Ended>();
    // A thread without a slot would have nothing to do.
    const count = Math.min(threads, plan.load.concurrency ?? threads);
    const loadThreads = startThreads({ ...parts, threads: count }, plan, shared, clock.originNs, {
      ended: (ended) => {
        const ending = recordedEnding(ended);
        results.push(ending);
        const verdict = tracker.judge(ending, rules);
        if (verdict !== 'go') loadThreads.order({ say: verdict });
      },
      health: (health) => healths.push(health),
    });
    const apply = (): void => {
      if (stops.cancel.aborted) loadThreads.order({ say: 'cancel-all' });
      else if (stops.drain.aborted) loadThreads.order({ say: 'stop-sending' });
    };
    const live = async (): Promise<void> => {
      stops.drain.addEventListener('abort', apply);
      stops.cancel.addEventListener('abort', apply);
      try {
        for (const phase of phasesOf(plan, behind)) {
          if (phase === 'warmup' && stops.drain.aborted) continue;
          loadThreads.order({ say: 'prepare', phase });
          await loadThreads.all('ready', phase);
          apply();
          loadThreads.order({ say: 'begin', phase, startMs: clock.nowMs() + leadMs });
          await loadThreads.all('drained', phase);
        }
        loadThreads.order({ say: 'end' });
        await loadThreads.gone();
        results.close();
      } catch (failure) {
        results.fail(failure);
        await loadThreads.dismiss();
      } finally {
        stops.drain.removeEventListener('abort', apply);
        stops.cancel.removeEventListener('abort', apply);
      }
    };
    healths = [];
    void live();
    return results;
  };

  return {
    simulated: false,
    run,
    monotonicOriginNs: clock.originNs.toString(),
    health: () => joinedHealth(healths),
    state: () => tracker.state(),
  };
}

interface LoadThreads {
  order(order: ThreadOrder): void;
  /** Settles when every thread has said it; fails when one fails. */
  all(word: 'ready' | 'drained', phase: string): Promise<void>;
  /** Settles when every thread has ended. */
  gone(): Promise<void>;
  dismiss(): Promise<void>;
}

function startThreads(
  parts: ThreadedParts,
  plan: RunPlan,
  shared: SharedArrayBuffer,
  originNs: bigint,
  hear: { ended(ended: Ended): void; health(health: ClientHealth): void },
): LoadThreads {
  const said = new Map<string, number>();
  const waiting = new Map<string, () => void>();
  let broken: ((failure: Error) => void) | null = null;
  const failure = new Promise<never>((_, reject) => {
    broken = reject;
  });
  failure.catch(() => {});
  const ends = new OrderedEnds((ended) => hear.ended(ended));
  for (let index = 0; index < parts.threads; index++) ends.join(String(index), -Infinity);
  const hearWord = (index: number, word: ThreadWord): void => {
    if (word.say === 'ended') ends.add(String(index), word.batch, word.upToMs);
    else if (word.say === 'health') {
      if (word.health !== null) hear.health(word.health);
    } else if (word.say === 'failed')
      broken!(word.mistakes === null ? new BrokenPromise(word.message) : new UserError(word.mistakes, word.exitCode));
    else {
      const key = `${word.say} ${word.phase}`;
      said.set(key, (said.get(key) ?? 0) + 1);
      if (said.get(key) === parts.threads) waiting.get(key)?.();
    }
  };
  const threads = Array.from({ length: parts.threads }, (_, index) => {
    const data: ThreadData = {
      plan,
      secrets: parts.secrets,
      index,
      threads: parts.threads,
      originNs: originNs.toString(),
      shared,
      source: parts.source,
      behind: parts.behind ?? null,
    };
    const thread = new Thread(parts.entry, { workerData: data });
    thread.on('message', (word: ThreadWord) => hearWord(index, word));
    thread.on('error', (error) => broken!(error));
    return thread;
  });
  const exits = threads.map((thread) => new Promise<void>((resolve) => thread.once('exit', () => resolve())));
  return {
    order: (order) => {
      for (const thread of threads) thread.postMessage(order);
    },
    all: (word, phase) => {
      const key = `${word} ${phase}`;
      const everyone = new Promise<void>((resolve) => {
        if (said.get(key) === parts.threads) resolve();
        else waiting.set(key, resolve);
      });
      return Promise.race([everyone, failure]);
    },
    gone: () => Promise.race([Promise.all(exits).then(() => {}), failure]),
    dismiss: async () => {
      await Promise.all(threads.map((thread) => thread.terminate()));
    },
  };
}
