import { randomBytes } from 'node:crypto';
import type {
  Ended,
  Runner,
  RunPlan,
  RunState,
  StopRule,
  StopSignals,
  WorkerShareFacts,
  Workload,
} from '../../core/index.ts';
import { joinedHealth, ResultQueue, recordedEnding, runStateTracker, startClock } from '../load/index.ts';
import type { PhaseName, RunClock } from '../load/index.ts';
import { clearQueue } from './open-cluster.ts';
import type { Cluster, HeldRun } from './open-cluster.ts';
import { answered, isGivenUp } from './redis.ts';
import { readRedisClock } from './redis-clock.ts';
import { RunControl } from './run-control.ts';
import type { Member } from './members.ts';

/** What the runner over machines is given besides the plan. */
export interface ClusterParts {
  cluster: Cluster;
  /** From what workers make their prompts and secrets; plain data, no secret in it. */
  source: unknown;
  /** The same conversations as the workers make; absent = every prompt is asked by itself. */
  talks?: ((phase: PhaseName) => Workload) | null;
  /** Numbers of the exchanges that a run to be gone on with has on disk. */
  known?: Iterable<number>;
}

/** The real runner spread over machines: the same plan, schedule and order of asks, sent by whoever is there. */
export async function makeClusterRunner(parts: ClusterParts): Promise<Runner> {
  const { cluster } = parts;
  const { held, clock } = await startOrTakeUp(cluster);
  let control: RunControl | null = null;
  const progress = (): Pick<RunState, 'nowMs' | 'due' | 'sent' | 'inFlight'> => {
    const sum = { nowMs: clock.nowMs(), due: 0, sent: 0, inFlight: 0 };
    for (const member of control?.members.values() ?? []) {
      sum.due += member.progress.due;
      sum.sent += member.progress.sent;
      sum.inFlight += member.progress.inFlight;
    }
    return sum;
  };
  const tracker = runStateTracker(progress);
  const workers = (): WorkerShareFacts[] => workerFacts(control?.members.values() ?? []);

  const run = (plan: RunPlan, stops: StopSignals, rules: readonly StopRule[]): AsyncIterable<Ended> => {
    const results = new ResultQueue<Ended>();
    const mine = new RunControl({
      cluster,
      plan,
      held,
      source: parts.source,
      clock,
      talks: parts.talks ?? null,
      known: parts.known ?? [],
      emit: (ended) => {
        const ending = recordedEnding(ended);
        results.push(ending);
        const verdict = tracker.judge(ending, rules);
        if (verdict !== 'go') mine.order(verdict);
      },
    });
    control = mine;
    const apply = (): void => {
      if (stops.cancel.aborted) mine.order('cancel-all');
      else if (stops.drain.aborted) mine.order('stop-sending');
    };
    const live = async (): Promise<void> => {
      stops.drain.addEventListener('abort', apply);
      stops.cancel.addEventListener('abort', apply);
      try {
        apply();
        await mine.run();
        results.close();
      } catch (failure) {
        results.fail(failure);
      } finally {
        stops.drain.removeEventListener('abort', apply);
        stops.cancel.removeEventListener('abort', apply);
      }
    };
    void live();
    return results;
  };

  return {
    simulated: false,
    run,
    monotonicOriginNs: held.originNs,
    health: () => joinedHealth(workers().flatMap(({ health }) => (health === null ? [] : [health]))),
    state: () => tracker.state(),
    kept: (count) => control?.kept(count),
    cutShort: () => control?.cutShort ?? false,
    workers,
    async close() {
      if (control?.gone !== null) return;
      // All results are written, so it does no harm if Redis goes away now.
      await clearQueue(cluster).catch((failure: unknown) => {
        if (!isGivenUp(failure)) throw failure;
      });
    },
  };
}

/** The clock of a new run, whose zero is now; or that of the run to be gone on with, found by Redis's clock. */
async function startOrTakeUp(cluster: Cluster): Promise<{ held: HeldRun; clock: RunClock }> {
  const { redis, held, options } = cluster;
  const reading = await answered(options.place, readRedisClock(redis));
  if (held !== null) return { held, clock: startClock(BigInt(held.zeroRedisNs) - reading.offsetNs) };
  const clock = startClock();
  return {
    clock,
    held: {
      token: randomBytes(6).toString('hex'),
      originNs: clock.originNs.toString(),
      zeroRedisNs: (clock.originNs + reading.offsetNs).toString(),
      llmdyno: options.version,
      startedAt: new Date().toISOString(),
    },
  };
}

/** What is told of each machine, one entry per name: a worker that was lost and came back held two slots. */
function workerFacts(members: Iterable<Member>): WorkerShareFacts[] {
  const found = new Map<string, WorkerShareFacts>();
  for (const member of members) {
    const { worker, clock, state } = member;
    const before = found.get(worker.name);
    found.set(worker.name, {
      name: worker.name,
      host: worker.host,
      labels: worker.labels,
      state: before?.state === 'lost' || state === 'lost' ? 'lost' : state === 'here' ? 'stayed' : 'left',
      exchanges: (before?.exchanges ?? 0) + member.exchanges,
      ok: (before?.ok ?? 0) + member.ok,
      failed: (before?.failed ?? 0) + member.failed,
      lostAsks: (before?.lostAsks ?? 0) + member.lostAsks,
      lateExchanges: (before?.lateExchanges ?? 0) + member.late,
      bufferedMost: member.ended ? member.buffered : (before?.bufferedMost ?? null),
      clockErrorMs: Math.max(before?.clockErrorMs ?? 0, clock.rttMs / 2),
      clockDriftMs: clock.driftMs ?? before?.clockDriftMs ?? null,
      health: member.health ?? before?.health ?? null,
    });
  }
  return [...found.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
