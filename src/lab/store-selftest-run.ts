import type { KeepPart } from '../advice/selftest/index.ts';
import { createRun } from '../results/store/index.ts';
import { executeRun } from './execute-run.ts';
import { openLiveFile } from './live-file.ts';
import { version } from './version.ts';
import { note } from './world.ts';
import type { World } from './world.ts';

/** Keeps the load of a selftest as a run's is kept: a folder that fills as requests end, live counts, a summary. */
export function storeSelftestRun(world: World, stop: () => void): KeepPart {
  return async (plan, runner, stops) => {
    const writer = await createRun(world.store, {
      plan,
      startedAt: new Date().toISOString(),
      simulated: runner.simulated,
      monotonicOriginNs: runner.monotonicOriginNs,
      llmdyno: version,
      command: world.command,
    });
    const live = openLiveFile(writer.dir, stops, stop);
    try {
      await live.follow({ dir: writer.dir, state: () => runner.state(), warmup: () => false });
      await executeRun({ plan, runner, writer, stops });
    } finally {
      await live.end();
      await writer.release();
    }
    note(world, `kept as ${writer.runId}`, `已保存为 ${writer.runId}`);
  };
}
