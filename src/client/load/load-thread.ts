import { performance } from 'node:perf_hooks';
import type { MessagePort } from 'node:worker_threads';
import { UserError } from '../../core/index.ts';
import type { Ended, Workload } from '../../core/index.ts';
import { handsOver } from '../../inputs/arrival/index.ts';
import { LoadSession, phasesOf } from './load-session.ts';
import type { PhaseName } from './load-session.ts';
import { rehearse } from './rehearsal.ts';
import type { Rehearsal } from './rehearsal.ts';
import { startClock } from './run-clock.ts';
import { sharedPlaces } from './thread-words.ts';
import type { ThreadData, ThreadOrder, ThreadWord } from './thread-words.ts';

const batchSize = 64;
const flushEveryMs = 5;

/** The inside of a load thread: does its share of the run as told, and sends back what ended, in batches. */
export async function serveLoadThread(
  port: MessagePort,
  data: ThreadData,
  makeWorkload: (source: unknown) => Promise<(phase: PhaseName) => Workload>,
  rehearsal: Rehearsal = rehearse,
): Promise<void> {
  const tell = (word: ThreadWord): void => port.postMessage(word);
  const shared = new Int32Array(data.shared);
  let batch: Ended[] = [];
  const clock = startClock(BigInt(data.originNs));
  const flush = (upToMs = clock.nowMs()): void => {
    tell({ say: 'ended', batch, upToMs });
    batch = [];
  };
  let session: LoadSession | null = null;
  const note = (): void => {
    const at = sharedPlaces.progress(data.index);
    const { due, sent, inFlight, heardMs, heardTokens } = session!.progress;
    Atomics.store(shared, at, due);
    Atomics.store(shared, at + 1, sent);
    Atomics.store(shared, at + 2, inFlight);
    Atomics.store(shared, at + 3, heardMs);
    Atomics.store(shared, at + 4, heardTokens);
  };
  let running = false;
  const ticker = setInterval(() => {
    if (running) flush();
    if (session !== null) note();
  }, flushEveryMs);
  const fail = (error: unknown): void => {
    const known = error instanceof UserError;
    flush();
    tell({
      say: 'failed',
      mistakes: known ? [...error.mistakes] : null,
      exitCode: known ? error.exitCode : 70,
      message: error instanceof Error ? (error.stack ?? error.message) : String(error),
    });
  };
  try {
    const workload = await makeWorkload(data.source);
    const counter = (at: number): Int32Array => shared.subarray(at, at + 1);
    session = new LoadSession({
      plan: data.plan,
      clock,
      workload,
      secrets: data.secrets,
      place: (phase) => ({
        index: data.index,
        of: data.threads,
        claimed: {
          requests: counter(sharedPlaces.requests[phase]),
          conversations: counter(sharedPlaces.conversations[phase]),
        },
      }),
      behind: data.behind,
      inStride: handsOver(data.plan) && phasesOf(data.plan, data.behind).length > 1,
      emit: (ending) => {
        batch.push(ending.record());
        if (batch.length >= batchSize) flush();
      },
    });
    const mine = session;
    const busy = performance.eventLoopUtilization();
    const obey = async (order: ThreadOrder): Promise<void> => {
      if (order.say === 'prepare') {
        const handedOver = mine.handsOver;
        await mine.prepare(order.phase);
        if (!handedOver) await rehearsal(data.plan, clock, order.phase);
        // The measured part takes over without a pause, so it is rehearsed now.
        if (order.phase === 'warmup' && mine.handsOver) await rehearsal(data.plan, clock, 'measure');
        tell({ say: 'ready', phase: order.phase });
      } else if (order.say === 'begin') {
        running = true;
        await mine.run(order.phase, order.startMs);
        const goesOn = order.phase === 'warmup' && mine.handsOver;
        running = goesOn;
        flush(goesOn ? clock.nowMs() : Infinity);
        note();
        tell({ say: 'drained', phase: order.phase });
      } else if (order.say === 'stop-sending') mine.stopSending();
      else if (order.say === 'cancel-all') mine.cancelAll();
      else {
        // The CPU of one thread is told by Linux alone; elsewhere the share of time its loop was not waiting stands for it.
        const cpuRatio = mine.health?.cpuPerThread?.[0] ?? performance.eventLoopUtilization(busy).utilization;
        tell({ say: 'health', health: mine.health === null ? null : { ...mine.health, cpuRatio } });
        mine.close();
        clearInterval(ticker);
        port.close();
      }
    };
    port.on('message', (order: ThreadOrder) => void obey(order).catch(fail));
  } catch (error) {
    clearInterval(ticker);
    fail(error);
    port.close();
  }
}
