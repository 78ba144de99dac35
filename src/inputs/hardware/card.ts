import huawei from '../../../data/cards/huawei.json' with { type: 'json' };
import metax from '../../../data/cards/metax.json' with { type: 'json' };
import nvidia from '../../../data/cards/nvidia.json' with { type: 'json' };
import { gibBytes, mibBytes } from './byte-size.ts';
import { nameKey, nearestNames } from './name-search.ts';
import type { Source } from './source.ts';

/** One accelerator as its sheet says it; a figure nobody publishes is null. Rates are dense peaks per device. */
export interface Card {
  /** Lower case, without the vendor: 910b4-32g. */
  name: string;
  vendor: string;
  label: string;
  aliases: readonly string[];
  /** As the vendor's tool shows it. */
  memoryBytes: number;
  memoryBytesPerSec: number | null;
  fp16FlopsPerSec: number | null;
  fp8FlopsPerSec: number | null;
  int8OpsPerSec: number | null;
  /** To the other cards of the host, one direction, of one card. */
  linkBytesPerSec: number | null;
  linkName: string | null;
  powerW: number | null;
  /** Taken by driver and system before any model is loaded. */
  idleBytes: number | null;
  source: Source;
  note: string | null;
}

interface CardSheet {
  name: string;
  vendor: string;
  label: string;
  aliases: string[];
  memoryMiB: number;
  memoryGBPerSec: number | null;
  fp16Tflops: number | null;
  fp8Tflops: number | null;
  int8Tops: number | null;
  linkGBPerSec: number | null;
  linkName: string | null;
  powerW: number | null;
  idleGiB: number | null;
  source: Source;
  note?: string;
}

const times = (value: number | null, unit: number): number | null => (value === null ? null : value * unit);

function cardOf(sheet: CardSheet): Card {
  return {
    name: sheet.name,
    vendor: sheet.vendor,
    label: sheet.label,
    aliases: sheet.aliases,
    memoryBytes: sheet.memoryMiB * mibBytes,
    memoryBytesPerSec: times(sheet.memoryGBPerSec, 1e9),
    fp16FlopsPerSec: times(sheet.fp16Tflops, 1e12),
    fp8FlopsPerSec: times(sheet.fp8Tflops, 1e12),
    int8OpsPerSec: times(sheet.int8Tops, 1e12),
    linkBytesPerSec: times(sheet.linkGBPerSec, 1e9),
    linkName: sheet.linkName,
    powerW: sheet.powerW,
    idleBytes: times(sheet.idleGiB, gibBytes),
    source: sheet.source,
    note: sheet.note ?? null,
  };
}

/** Every card of data/cards. */
export const cards: readonly Card[] = [
  ...(huawei as CardSheet[]),
  ...(metax as CardSheet[]),
  ...(nvidia as CardSheet[]),
].map(cardOf);

/** The card of that name or alias, however spelled (case, spaces, underscores); null = none. */
export function findCard(name: string): Card | null {
  const key = nameKey(name);
  return cards.find((card) => [card.name, ...card.aliases].some((known) => nameKey(known) === key)) ?? null;
}

/** Names that look like the one asked for, for the hint of a mistake. */
export function cardsLike(name: string): string[] {
  return nearestNames(
    name,
    cards.map((card) => card.name),
  );
}

/** The card of data/cards that a tool means: `NVIDIA H200`, `910B4`, `MXC500`; null = not one of them. */
export function cardOfDevice(name: string | null, memoryBytes: number): Card | null {
  if (name === null) return null;
  const memoryGiB = memoryBytes / gibBytes;
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
    if (card !== null && Math.abs(card.memoryBytes / gibBytes - memoryGiB) <= 0.12 * memoryGiB) return card;
  }
  return null;
}
