import { userError } from '../../core/index.ts';
import { cardOfDevice, gibBytes } from '../../inputs/hardware/index.ts';
import type { Device } from '../../inputs/hardware/index.ts';
import type { PlanAsked } from './plan-request.ts';

/** What a capacity plan can take from the accelerators of this host: which card, how many, how much is taken already. */
export function cardsOfHost(
  devices: readonly Device[],
): Pick<PlanAsked, 'cardName' | 'cardMemoryGiB' | 'cards' | 'idleGiB'> {
  const known = devices.filter((device) => device.memoryTotalBytes !== null);
  const [first] = known;
  if (first === undefined)
    throw userError(
      'no-cards-here',
      'no accelerator was found on this host',
      '本机未发现加速卡',
      'dyno devices shows what was tried; name the card instead: --card 910b4-32g, or --card-memory-gib 32.',
      'dyno devices 可查看探测结果；也可直接指定：--card 910b4-32g 或 --card-memory-gib 32。',
      '--card',
    );
  const least = Math.min(...known.map((device) => device.memoryTotalBytes!));
  const used = known.map((device) => device.memoryUsedBytes ?? 0);
  // Memory that programs hold now is no measure of an idle card.
  const idle = known.every((device) => device.processes.length === 0) ? Math.max(...used) / gibBytes : null;
  const card = cardOfDevice(first.name, least)?.name ?? null;
  return {
    ...(card === null ? { cardMemoryGiB: least / gibBytes } : { cardName: card }),
    cards: known.length,
    ...(idle !== null && idle > 0 && { idleGiB: idle }),
  };
}
