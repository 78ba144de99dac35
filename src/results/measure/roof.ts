import type { Figures, Summary } from '../../core/index.ts';
import { cacheOf, quotedFigures } from '../../core/index.ts';
import {
  cardOfDevice,
  decodeWork,
  findCard,
  findModel,
  prefillWork,
  rooflineStep,
  usualEfficiency,
} from '../../inputs/hardware/index.ts';
import type { Card, Rig } from '../../inputs/hardware/index.ts';

/** How near a point came to what its cards can do by their sheets. Shares are of 0 to 1; null = cannot be told from what was measured. */
export interface Roof {
  card: string;
  cards: number;
  memoryBytesPerSec: number;
  flopsPerSec: number;
  /** A typical step in which every sequence gets one token. */
  step: {
    measuredMs: number;
    /** Reading weights and cache at the full bandwidth of the sheet. */
    leastMs: number;
    sequences: number;
    memoryRatio: number;
  } | null;
  /** What the products of all prompts took of the whole time, had they run at the sheet's peak. */
  promptComputeRatio: number | null;
}

/** Above this a figure contradicts the sheet, so one of the two is not what it seems: no share is told. */
const mostRatio = 1.05;

/** A point as it is written, with how near it came to the limits of its cards. */
export function withRoof<T extends Summary>(summary: T): T & { roof: Roof | null } {
  return { ...summary, roof: roofOf(summary) };
}

/** How near a point came to the limits of its cards; null = card or model are not known, or the sheet lacks a rate. */
export function roofOf(summary: Summary): Roof | null {
  const machine = machineOf(summary);
  const shape = summary.model === null ? null : (findModel(summary.model)?.shape ?? null);
  if (machine === null || shape === null) return null;
  const { card, cards } = machine;
  const { memoryBytesPerSec, fp16FlopsPerSec: flopsPerSec } = card;
  if (memoryBytesPerSec === null || flopsPerSec === null) return null;
  const rig: Rig = {
    shape,
    card,
    parallel: { tensor: cards, pipeline: 1, data: 1, expert: null },
    weights: { format: null, withMtp: false },
    kv: { format: null, withMtp: false },
    // The limit itself: nothing lost, nothing launched.
    efficiency: { ...usualEfficiency, memoryRatio: 1, computeRatio: 1 },
  };
  const step = stepOf(summary, rig);
  return {
    card: card.name,
    cards,
    memoryBytesPerSec,
    flopsPerSec,
    step,
    promptComputeRatio: promptShare(summary, rig),
  };
}

/** What the user said, else the cards that worked on the host of the client. */
function machineOf({ asked, devices }: Summary): { card: Card; cards: number } | null {
  const list = Array.isArray(devices?.['devices']) ? (devices['devices'] as Partial<DeviceSeen>[]) : [];
  const busy = list.filter(({ utilizationRatio }) => (utilizationRatio?.max ?? 0) > 0);
  const [first] = busy;
  const card =
    asked?.card === undefined ? cardOfDevice(first?.name ?? null, first?.memoryTotalBytes ?? 0) : findCard(asked.card);
  return card === null ? null : { card, cards: asked?.cards ?? Math.max(1, busy.length) };
}

interface DeviceSeen {
  name: string | null;
  memoryTotalBytes: number | null;
  utilizationRatio: { max: number } | null;
}

function stepOf(summary: Summary, rig: Rig): Roof['step'] {
  const figures: Figures = quotedFigures(summary);
  const [input, output] = [summary.inputTokens?.mean ?? null, summary.outputTokens?.mean ?? null];
  // A short steady part may hold gaps and no end of a request.
  const whole: Figures = figures.latencyMs === null || figures.ttftMs === null ? summary : figures;
  const [latency, first] = [whole.latencyMs?.mean ?? null, whole.ttftMs?.mean ?? null];
  // The typical gap is a step without prompts; a mean would hold the prompts of others.
  const measuredMs = figures.itlMs?.p50 ?? figures.tpotMs?.p50 ?? null;
  const { concurrencyAchieved: inFlight } = figures;
  if (input === null || output === null || latency === null || first === null || inFlight === null) return null;
  if (measuredMs === null || measuredMs <= 0 || latency <= first) return null;
  const sequences = Math.max(1, (inFlight * (latency - first)) / latency);
  const leastMs = rooflineStep(rig, decodeWork(sequences, input + output / 2))?.memoryMs ?? null;
  if (leastMs === null || leastMs > measuredMs * mostRatio) return null;
  return { measuredMs, leastMs, sequences, memoryRatio: Math.min(1, leastMs / measuredMs) };
}

function promptShare(summary: Summary, rig: Rig): number | null {
  const figures: Figures = quotedFigures(summary);
  const input = summary.inputTokens?.mean ?? null;
  const tokensPerSec = figures.inputTokensPerSec ?? summary.inputTokensPerSec;
  if (input === null || input === 0 || tokensPerSec === null) return null;
  const computed = Math.round(input * (1 - (cacheOf(summary)?.hits ?? 0)));
  const computeMs = rooflineStep(rig, prefillWork(computed))?.computeMs ?? null;
  if (computeMs === null) return null;
  const share = (computeMs * (tokensPerSec / input)) / 1000;
  return share > mostRatio ? null : Math.min(1, share);
}
