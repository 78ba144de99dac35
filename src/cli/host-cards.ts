import { UserError } from '../core/index.ts';
import { findCard, gibBytes } from '../inputs/hardware/index.ts';
import type { Device } from '../inputs/hardware/index.ts';
import type { PlanAsked } from '../advice/plan/index.ts';

/** What a capacity plan can take from the accelerators of this host: which card, how many, how much is taken already. */
export function cardsOfHost(
  devices: readonly Device[],
): Pick<PlanAsked, 'cardName' | 'cardMemoryGiB' | 'cards' | 'idleGiB'> {
  const known = devices.filter((device) => device.memoryTotalBytes !== null);
  const [first] = known;
  if (first === undefined) throw noCards();
  const least = Math.min(...known.map((device) => device.memoryTotalBytes!));
  const used = known.map((device) => device.memoryUsedBytes ?? 0);
  // Memory that programs hold now is no measure of an idle card.
  const idle = known.every((device) => device.processes.length === 0) ? Math.max(...used) / gibBytes : null;
  const card = cardNamed(first.name, least / gibBytes);
  return {
    ...(card === null ? { cardMemoryGiB: least / gibBytes } : { cardName: card }),
    cards: known.length,
    ...(idle !== null && idle > 0 && { idleGiB: idle }),
  };
}

/** The card of data/cards that a tool means: `NVIDIA H200`, `910B4`, `MXC500`; null = not one of them. */
function cardNamed(name: string | null, memoryGiB: number): string | null {
  if (name === null) return null;
  const short = name
    .toLowerCase()
    .replaceAll(/nvidia|tesla|geforce|metax|ascend|huawei|\bpcie\b|\bsxm\d?\b|\bhbm\d\w*\b|\d+\s*gb\b/g, ' ');
  const words = short
    .trim()
    .replaceAll(/[\s-]+/g, '-')
    .replaceAll(/^-|-$/g, '');
  const sizes = [16, 24, 32, 40, 48, 64, 80, 96, 141].filter((size) => Math.abs(size - memoryGiB) <= 0.12 * size);
  const tries = [...sizes.map((size) => `${words}-${size}g`), words, name];
  for (const attempt of tries) {
    const card = findCard(attempt);
    // The same name is sold with different memory: what the tool counted decides.
    if (card !== null && Math.abs(card.memoryBytes / gibBytes - memoryGiB) <= 0.12 * memoryGiB) return card.name;
  }
  return null;
}

function noCards(): UserError {
  return new UserError({
    code: 'no-cards-here',
    message: { en: 'no accelerator was found on this host', zh: '本机未发现加速卡' },
    hint: {
      en: 'dyno devices shows what was tried; name the card instead: --card 910b4-32g, or --card-memory-gib 32.',
      zh: 'dyno devices 可查看探测结果；也可直接指定：--card 910b4-32g 或 --card-memory-gib 32。',
    },
    place: { flag: '--card' },
  });
}
