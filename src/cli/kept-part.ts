import { say } from '../core/index.ts';
import { executeRun } from '../run/index.ts';
import type { KeepPart } from '../selftest/index.ts';
import { createRun } from '../store/index.ts';
import type { Given } from './command.ts';
import { tellLive } from './live-file.ts';
import { shownCommand } from './shown-command.ts';
import { version } from './version.ts';

/** Keeps the load of a selftest as `dyno run` keeps its own: a folder that fills as requests end, live counts, a summary. */
export function keptPart(given: Given, stop: () => void): KeepPart {
  const { io, common } = given;
  return async (plan, kit, stops) => {
    const writer = await createRun(common.store, {
      plan,
      startedAt: new Date().toISOString(),
      simulated: kit.simulated,
      monotonicOriginNs: kit.monotonicOriginNs,
      llmdyno: version,
      command: shownCommand(io.argv),
    });
    const live = tellLive(writer, () => kit.state(), { stop });
    try {
      await executeRun({ plan, kit, writer, stops });
    } finally {
      await live.end();
    }
    if (!common.quiet && !common.json)
      io.err(`${say({ en: `kept as ${writer.runId}`, zh: `已保存为 ${writer.runId}` }, common.lang)}\n`);
  };
}
