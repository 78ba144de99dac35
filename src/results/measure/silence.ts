import type { Exchange, ProblemCode, Silence } from '../../core/index.ts';
import { bucketMs, makeTimeBuckets } from './time-buckets.ts';
import type { Window } from './steady-window.ts';
import type { TimeBuckets } from './time-buckets.ts';

/** The numbers that decide whether a server fell silent. */
export const silenceLimits = {
  /** A shorter one is a step, a long prompt or a hiccup. */
  leastMs: 1000,
  /** And it is so many times as long as what this server is silent for as a rule: nine in ten of its other silences, and the one before its first output. */
  usual: 3,
  /** With fewer waiting it cannot be told from one slow stream. */
  leastWaiting: 2,
  /** So many requests lost without an answer are a server that is not there. */
  leastLost: 2,
} as const;

/** No server answered, or what answered was not the server any more. */
const lostCodes: ReadonlySet<ProblemCode> = new Set([
  'connect-refused',
  'connect-timeout',
  'connect-failed',
  'reset',
  'truncated-stream',
  'http-5xx',
]);
const unreachable: ReadonlySet<ProblemCode> = new Set(['connect-refused', 'connect-timeout', 'connect-failed']);

const mostLosses = 65_536;

/**
 * Records when anything was heard from the server, and who was waiting, by the tenth of a second; says when all streams were
 * silent at once. Its size grows with the time, not with the requests.
 */
export class SilenceBook {
  readonly #heard = makeTimeBuckets();
  readonly #sent = makeTimeBuckets();
  readonly #ended = makeTimeBuckets();
  readonly #lost = makeTimeBuckets();
  /** When requests were lost, the first of them exactly: hundreds are refused in the tenth of a second of the last answer. */
  #losses: { atMs: number; unreachable: boolean }[] = [];
  #lastHeardMs = -Infinity;
  #lastEndMs = -Infinity;

  saw({ warmup, sentMs, endMs, chunks, outcome, problem }: Exchange): void {
    if (warmup || sentMs === null) return;
    this.#sent.add(sentMs, 1);
    this.#ended.add(endMs, 1);
    this.#lastEndMs = Math.max(this.#lastEndMs, endMs);
    const heardMs = outcome === 'ok' ? endMs : (chunks.atMs.at(-1) ?? -Infinity);
    this.#lastHeardMs = Math.max(this.#lastHeardMs, heardMs);
    let last = -1;
    for (const atMs of chunks.atMs) {
      const bucket = Math.floor(atMs / bucketMs);
      if (bucket !== last) this.#heard.add(atMs, 1);
      last = bucket;
    }
    if (outcome === 'ok') this.#heard.add(endMs, 1);
    if (problem === null || !lostCodes.has(problem.code) || problem.status === 503) return;
    this.#lost.add(endMs, 1);
    if (this.#losses.length < mostLosses)
      this.#losses.push({ atMs: endMs, unreachable: unreachable.has(problem.code) });
  }

  merge(other: SilenceBook): void {
    this.#heard.merge(other.#heard);
    this.#sent.merge(other.#sent);
    this.#ended.merge(other.#ended);
    this.#lost.merge(other.#lost);
    this.#losses = [...this.#losses, ...other.#losses].slice(0, mostLosses);
    this.#lastHeardMs = Math.max(this.#lastHeardMs, other.#lastHeardMs);
    this.#lastEndMs = Math.max(this.#lastEndMs, other.#lastEndMs);
  }

  /** The silences that are none of the server's usual ones, in order. */
  read(): Silence[] {
    const { stretches, beforeFirstMs } = this.#stretches();
    return stretches.filter((stretch) => this.#stands(stretch, usualMs(stretches, stretch, beforeFirstMs)));
  }

  #stands(stretch: Silence, usual: number): boolean {
    const { leastMs, leastWaiting, leastLost } = silenceLimits;
    const long = lengthOf(stretch) >= Math.max(leastMs, silenceLimits.usual * usual);
    if (stretch.lost < leastLost) return long && stretch.waiting >= leastWaiting;
    if (stretch.back) return lengthOf(stretch) >= leastMs;
    return long || this.#losses.some(({ atMs, unreachable: gone }) => gone && atMs >= stretch.fromMs);
  }

  /** Every stretch in which nothing was heard though somebody waited or was lost, after the first output. */
  #stretches(): { stretches: Silence[]; beforeFirstMs: number } {
    const count = Math.max(this.#ended.contents().length, this.#sent.contents().length);
    const at = (buckets: TimeBuckets, i: number): number => buckets.between(i * bucketMs, (i + 1) * bucketMs);
    const stretches: Silence[] = [];
    let beforeFirstMs = 0;
    let first = -1;
    let open = 0;
    let current: Silence | null = null;
    let heardBefore = false;
    for (let i = 0; i < count; i++) {
      const [sent, ended, lost] = [at(this.#sent, i), at(this.#ended, i), at(this.#lost, i)];
      if (sent > 0 && first === -1) first = i;
      if (at(this.#heard, i) > 0) {
        if (!heardBefore && first !== -1) beforeFirstMs = (i - first) * bucketMs;
        heardBefore = true;
        if (current !== null) stretches.push(current);
        current = null;
      } else if (heardBefore && (open + sent > 0 || lost > 0)) {
        current ??= { fromMs: i * bucketMs, toMs: 0, waiting: 0, lost: 0, back: true };
        current.toMs = (i + 1) * bucketMs;
        current.waiting = Math.max(current.waiting, open + sent);
        current.lost += lost;
      } else if (current !== null && open + sent === 0) {
        // Nobody waits: what is heard next says nothing about the time in between, unless requests were being lost.
        if (current.lost < silenceLimits.leastLost) current = null;
      }
      open += sent - ended;
    }
    return { stretches: [...stretches, ...this.#end(current)], beforeFirstMs };
  }

  /** What came after the last that was heard: a server that is gone, or nothing worth a word. */
  #end(current: Silence | null): Silence[] {
    if (this.#lastHeardMs === -Infinity) return [];
    const [fromMs, toMs] = [this.#lastHeardMs, this.#lastEndMs];
    const after = this.#losses.filter(({ atMs }) => atMs >= fromMs);
    const lost = Math.max(after.length, current?.lost ?? 0);
    const gone = lost >= silenceLimits.leastLost && after.some((loss) => loss.unreachable);
    if (current === null && !gone) return [];
    return [{ fromMs, toMs, waiting: current?.waiting ?? 0, lost, back: false }];
  }
}

/** What this server is silent for as a rule: nine in ten of the other stretches, and the time to its very first output. */
function usualMs(stretches: readonly Silence[], but: Silence, beforeFirstMs: number): number {
  const others = stretches
    .filter((one) => one !== but)
    .map(lengthOf)
    .toSorted((a, b) => a - b);
  return Math.max(beforeFirstMs, others[Math.floor(0.9 * others.length)] ?? 0);
}

function lengthOf({ fromMs, toMs }: Window): number {
  return toMs - fromMs;
}

/** The longest part of a window that no silence touches. */
export function outsideSilences(window: Window, silences: readonly Window[]): Window {
  let fromMs = window.fromMs;
  let best: Window = { fromMs, toMs: fromMs };
  for (const edge of [...silences, { fromMs: window.toMs, toMs: window.toMs }]) {
    const part = { fromMs, toMs: Math.min(edge.fromMs, window.toMs) };
    if (lengthOf(part) > lengthOf(best)) best = part;
    fromMs = Math.max(fromMs, edge.toMs);
  }
  return best;
}
