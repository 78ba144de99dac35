import type { RunBehind, RunPlan, Summary } from '../core/index.ts';
import { executeRun } from '../run/index.ts';
import { createRun, readExchanges, readUnfinished, resumeRun } from '../store/index.ts';
import type { NewRun, RunWriter, StoredRun } from '../store/index.ts';
import type { Given } from './command.ts';
import { afterwardsOf } from './count-afterwards.ts';
import { flushCache, withDoubt } from './flush-cache.ts';
import type { Interrupts } from './interrupts.ts';
import { tellLive } from './live-file.ts';
import { runnerFor } from './prepare.ts';
import type { Prepared } from './prepare.ts';
import { progressLine } from './progress-line.ts';
import { conversationsCannotResume } from './resume.ts';
import { startRunTelemetry } from './sampler-process.ts';
import type { TelemetryWish } from './sampler-process.ts';
import { shownCommand } from './shown-command.ts';
import { version } from './version.ts';

/** A summary and the folder that holds everything behind it. */
export interface Measured {
  summary: Summary;
  dir: string;
}

/** Goes on with an interrupted load point, in its own folder. */
export async function measureOn(
  given: Given,
  prepared: Prepared,
  plan: RunPlan,
  interrupts: Interrupts,
  title: string,
  run: StoredRun,
): Promise<Measured> {
  const { behind, conversations } = await readUnfinished(run);
  // Workers hold theirs on while nobody controls.
  if (conversations && prepared.team === undefined) throw conversationsCannotResume(run);
  const create = ({ startedAt, monotonicOriginNs }: NewRun): Promise<RunWriter> =>
    // Workers went on meanwhile, and the clock with them: there is no break to tell of.
    resumeRun(run, behind, prepared.team === undefined ? { at: startedAt, monotonicOriginNs } : null);
  return measurePoint(given, prepared, plan, interrupts, title, create, behind);
}

/** Runs one load point, with progress, into a folder of the store (or of the sweep that `create` belongs to). */
export async function measurePoint(
  given: Given,
  prepared: Prepared,
  plan: RunPlan,
  interrupts: Interrupts,
  title: string,
  create: (run: NewRun) => Promise<RunWriter> = (run) => createRun(given.common.store, run),
  behind: RunBehind | null = null,
): Promise<Measured> {
  const unflushed = behind === null ? await flushCache(given, prepared, plan) : null;
  let observe: (line: string) => void = () => {};
  // Started first, so that neither its start nor its wait falls into the run's time.
  const telemetry = await startRunTelemetry(telemetryWish(prepared, plan), (text) => observe(text));
  // Nothing else would end the sampler, and it would keep this process alive.
  const endSampler = async (failure: unknown): Promise<never> => {
    await telemetry?.stop();
    throw failure;
  };
  const kit = await runnerFor(prepared, plan, behind).catch(endSampler);
  const record: NewRun = {
    plan,
    startedAt: new Date().toISOString(),
    simulated: kit.simulated,
    monotonicOriginNs: kit.monotonicOriginNs,
    llmdyno: version,
    command: shownCommand(given.io.argv),
  };
  const writer = await create(record).catch(endSampler);
  observe = writer.observe;
  const line = progressLine(given, plan, title);
  const live = tellLive(writer, () => kit.state(), interrupts);
  try {
    const summary = await executeRun({
      plan,
      kit,
      writer,
      stops: interrupts.stops,
      telemetry,
      before: behind === null ? null : readExchanges(writer),
      afterwards: withDoubt(afterwardsOf(prepared, plan), unflushed),
      onProgress: (progress) => {
        line.show(progress);
        live.warmup = progress.warmup;
      },
    });
    await kit.close?.();
    return { summary, dir: writer.dir };
  } finally {
    line.clear();
    await live.end();
  }
}

function telemetryWish({ words, secrets }: Prepared, { target }: RunPlan): TelemetryWish {
  // What only a proxy may see does not go to the server's metrics page.
  const { 'proxy-authorization': _, ...shown } = secrets;
  return {
    url: target.url,
    devices: words.devices ?? 'auto',
    metrics: words.metrics ?? 'auto',
    headers: { ...target.headers, ...shown },
    insecure: target.insecure,
  };
}
