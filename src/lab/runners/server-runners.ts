import { availableParallelism } from 'node:os';
import type { RunPlan } from '../../core/index.ts';
import { makeLoadRunner, makeThreadedRunner } from '../../client/load/index.ts';
import type { StoredRun } from '../../results/store/index.ts';
import { openOwn } from '../own-parts.ts';
import type { OwnParts } from '../own-parts.ts';
import type { PlanSettings } from '../prepare/assemble-plan.ts';
import { listKept, modelsListed } from '../prepare/model-list.ts';
import { datasetOptionsOf, offsetsOf, prepare } from '../prepare/prepare.ts';
import type { Prepared } from '../prepare/prepare.ts';
import type { PromptSource } from '../prepare/prompt-source.ts';
import type { World } from '../world.ts';
import { remoteWorkers } from './remote-workers.ts';
import type { RemoteWorkers } from './remote-workers.ts';
import type { PointAsk, RunnerSource } from './runner-source.ts';
import { startRunTelemetry } from './start-telemetry.ts';
import type { TelemetryWish } from './start-telemetry.ts';

/** Real load on the server that the settings name: in as many threads, or on as many machines, as they ask for or the load needs. */
export function serverRunners(
  settings: Pick<PlanSettings, 'workers'>,
  world: World,
  resume: StoredRun | null = null,
  team: RemoteWorkers | null = null,
  own: OwnParts = {},
): RunnerSource {
  let workers = team;
  return {
    goesOnAlone: settings.workers !== undefined || team !== null,
    prepare: (asked, slices, open = openOwn(own, false)) => prepare(asked, world, slices, open, own.protocol),
    async runnerFor(point) {
      const { prepared, plan, behind } = point;
      if (prepared.settings.workers !== undefined) workers ??= remoteWorkers(prepared, world, resume);
      const models = await modelsNow(point);
      // Started first, so that neither its start nor its wait falls into the run's time.
      const telemetry = await startRunTelemetry(telemetryWish(prepared, plan), world.env);
      try {
        const offsets = await offsetsOf(prepared.dataset, plan);
        const source: PromptSource = {
          spec: prepared.settings.dataset,
          options: datasetOptionsOf(prepared.settings),
          offsets,
        };
        const runner =
          workers === null ? localRunner(point, source) : await workers.runner(plan, prepared, source, behind);
        return { runner, telemetry, models };
      } catch (failure) {
        // Nothing else would end the sampler, and it would keep this process alive.
        await telemetry?.stop();
        throw failure;
      }
    },
    async close() {
      await workers?.close();
    },
  };
}

/** What the server lists before this point: a first point's list is the one it was prepared with. */
async function modelsNow({ prepared, plan, number }: PointAsk): Promise<readonly string[] | null> {
  const { secrets, protocol, models } = prepared;
  if (number === 0 || models === null) return models;
  const server = { ...plan.target, ...(protocol !== null && { protocol }) };
  return listKept(await modelsListed(plan.target, server, secrets), plan.target.model);
}

function localRunner({ prepared, plan, behind }: PointAsk, source: PromptSource): ReturnType<typeof makeLoadRunner> {
  const { dataset, secrets, settings, protocol } = prepared;
  // Prompts that another tool's rules chose live in this thread alone.
  const threads = prepared.reopenable ? threadsFor(settings, plan) : 1;
  if (threads === 1)
    return makeLoadRunner({
      secrets,
      behind,
      workload: (phase) => dataset.workload(source.offsets[phase]),
      ...(protocol !== null && { protocol }),
    });
  return makeThreadedRunner({
    threads,
    secrets,
    source,
    behind,
    entry: new URL('../lib/load-worker.js', import.meta.url),
  });
}

/** Streams and sends a second that one thread carries well below its limit (docs/validation/client.md). */
const perThread = { streams: 800, sendsPerSec: 1000 };

/** Load threads for a plan: as many as asked for, or as the load needs and the cores allow; never more than slots. */
function threadsFor(settings: PlanSettings, plan: RunPlan): number {
  const { concurrency, ratePerSec } = plan.load;
  const needed = Math.max((concurrency ?? 0) / perThread.streams, (ratePerSec ?? 0) / perThread.sendsPerSec);
  const auto = Math.min(Math.ceil(needed), availableParallelism() - 1);
  const asked = settings.threads === undefined || settings.threads === 'auto' ? auto : settings.threads;
  return Math.max(1, Math.min(asked, concurrency ?? asked));
}

function telemetryWish({ settings, secrets }: Prepared, { target }: RunPlan): TelemetryWish {
  // What only a proxy may see does not go to the server's metrics page.
  const { 'proxy-authorization': _, ...shown } = secrets;
  return {
    url: target.url,
    devices: settings.devices ?? 'auto',
    metrics: settings.metrics ?? 'auto',
    headers: { ...target.headers, ...shown },
    insecure: target.insecure,
  };
}
