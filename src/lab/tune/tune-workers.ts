import { userError } from '../../core/index.ts';
import type { Summary } from '../../core/index.ts';
import type { TuneRequest } from '../../advice/tune/index.ts';
import type { PlanSettings } from '../prepare/assemble-plan.ts';
import { openWords } from '../prepare/prepare.ts';
import { remoteWorkers } from '../runners/remote-workers.ts';
import type { RemoteWorkers } from '../runners/remote-workers.ts';
import type { World } from '../world.ts';

/**
 * The machines that load the server of a whole tune; null = this one. Its queue is taken and its workers are there
 * before anything is changed or restarted.
 */
export async function tuneWorkers(
  request: TuneRequest,
  words: PlanSettings,
  world: World,
): Promise<RemoteWorkers | null> {
  if (words.workers === undefined) return null;
  if (request.server.evaluate !== null)
    throw userError(
      'settings-disagree',
      'an evaluate command sends its own load; there is nothing for workers to send',
      'evaluate 命令自行发送负载，worker 无可发送',
      'Leave out --workers, or evaluate.',
      '请去掉 --workers，或去掉 evaluate。',
      '--workers',
    );
  const opened = await openWords({ ...words, requests: words.requests ?? 1 }, 1);
  const workers = remoteWorkers(opened, world, null);
  await workers.ready();
  return workers;
}

/** A trial that ended because nobody was there to send it says nothing of the server: the tune ends there. */
export function refuseUnsent({ partial, stoppedBecause }: Summary): void {
  if (!partial || stoppedBecause !== undefined) return;
  throw userError(
    'workers-gone',
    'a trial ended before its requests were sent: the workers, or Redis, are gone',
    '试验的请求未发完：worker 或 Redis 已不在',
    'Start workers again (dyno worker), then go on with: dyno tune FILE --resume latest --workers …',
    '请重新启动 worker（dyno worker），然后继续：dyno tune FILE --resume latest --workers …',
    '--workers',
  );
}
