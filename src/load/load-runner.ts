import type { ClientHealth, Ended, RunnerKit, RunPlan, RunState, StopRule, Stops, Workload } from '../core/index.ts';
import { protocols } from '../protocol/index.ts';
import { ClientWatch } from './client-watch.ts';
import { endpointOf } from './endpoint.ts';
import { Outbox } from './outbox.ts';
import { Phase } from './phase.ts';
import type { PhaseParts } from './phase.ts';
import { Pool } from './pool.ts';
import { requestWriter } from './request-text.ts';
import type { Secrets } from './request-text.ts';
import { startClock } from './run-clock.ts';

/** How often timeouts are looked at; a timeout is noticed at most this much late. */
const timeoutTickMs = 20;

/** What the real runner is given besides the plan. */
export interface LoadParts {
  /** A fresh stream of prompts for each phase; warm-up and measuring ask different ones. */
  workload(phase: 'warmup' | 'measure'): Workload;
  secrets: Secrets;
}

/** The real runner: a plan becomes requests over sockets, and their exchanges. */
export function makeLoadRunner(parts: LoadParts): RunnerKit {
  const clock = startClock();
  const watch = new ClientWatch();
  const state: RunState = { nowMs: 0, due: 0, sent: 0, inFlight: 0, ok: 0, failed: 0 };
  let health: ClientHealth | null = null;
  let phase: Phase | null = null;

  const readState = (): RunState => {
    state.nowMs = clock.nowMs();
    state.due = phase?.due ?? 0;
    state.sent = phase?.sent ?? 0;
    state.inFlight = phase?.inFlight ?? 0;
    return state;
  };

  const run = (plan: RunPlan, stops: Stops, rules: readonly StopRule[]): AsyncIterable<Ended> => {
    const outbox = new Outbox<Ended>();
    const endpoint = endpointOf(plan.target);
    const pool = new Pool(endpoint, clock);
    const protocol = protocols[plan.target.api];
    const write = requestWriter(endpoint, plan.target, parts.secrets);
    const apply = (): void => {
      if (stops.everything.aborted) phase?.cancelAll();
      else if (stops.sending.aborted) phase?.stopSending();
    };
    const phaseParts: PhaseParts = {
      plan,
      clock,
      pool,
      settings: { protocol, timeouts: plan.timeouts, keepText: plan.keepText, originNs: clock.originNs },
      share: null,
      encode: (ask) => write(protocol.encode(ask, plan.target)),
      emit: (ended) => {
        outbox.push(ended);
        if (!ended.exchange.warmup) applyRules(ended);
      },
    };
    const applyRules = (ended: Ended): void => {
      if (ended.exchange.outcome === 'ok') state.ok++;
      if (ended.exchange.outcome === 'failed') state.failed++;
      for (const rule of rules) {
        const word = rule(readState(), ended.exchange);
        if (word === 'stop-sending') phase?.stopSending();
        if (word === 'cancel-all') phase?.cancelAll();
      }
    };
    const live = async (): Promise<void> => {
      const timeouts = setInterval(() => phase?.checkTimeouts(clock.nowMs()), timeoutTickMs);
      stops.sending.addEventListener('abort', apply);
      stops.everything.addEventListener('abort', apply);
      try {
        if (plan.warmup !== null && !stops.sending.aborted) {
          const limits =
            'requests' in plan.warmup
              ? { requests: plan.warmup.requests, durationMs: null }
              : { requests: null, durationMs: plan.warmup.forMs };
          phase = new Phase(phaseParts, parts.workload('warmup'), limits, true);
          await phase.ready();
          await phase.run(clock.nowMs());
        }
        const opened = { opened: pool.opened, reused: pool.reused };
        watch.start();
        const limits = { requests: plan.requests, durationMs: plan.durationMs };
        phase = new Phase(phaseParts, parts.workload('measure'), limits, false);
        // A stop that came before or during the warm-up: nothing of the measured part is sent.
        apply();
        await phase.ready();
        await phase.run(clock.nowMs());
        health = watch.stop(phase.spunMs, {
          opened: pool.opened - opened.opened,
          reused: pool.reused - opened.reused,
        });
        outbox.close();
      } catch (failure) {
        outbox.fail(failure);
      } finally {
        clearInterval(timeouts);
        stops.sending.removeEventListener('abort', apply);
        stops.everything.removeEventListener('abort', apply);
        pool.close();
      }
    };
    void live();
    return outbox;
  };

  return {
    simulated: false,
    run,
    monotonicOriginNs: clock.originNs.toString(),
    health: () => health,
    state: readState,
  };
}
