import { isDue, makePacer } from '../arrival/index.ts';
import type { Pacer, PacerLimits, PacerView, Pacing } from '../arrival/index.ts';
import type { LoadShape, Workload } from '../core/index.ts';
import { TurnBook } from '../workload/index.ts';
import type { Opening, Turn } from '../workload/index.ts';

/** What comes due in a phase: when, and the turn that is asked where turns have times of their own. */
export type Dealt = { atMs: number; turn: Turn | null } | Exclude<Pacing, { atMs: number }>;

/** Deals out the asks of one simulated phase; with conversations, their turns. */
export class SimDealer {
  readonly #pacer: Pacer;
  readonly #bySessions: boolean;
  readonly #bySlots: boolean;
  /** null = every prompt is asked once and by itself. */
  readonly book: TurnBook | null;

  constructor(load: LoadShape, limits: PacerLimits, seed: number, workload: Workload) {
    const talks = workload.conversations === true;
    this.#bySlots = talks && load.kind === 'closed';
    this.#bySessions = talks && load.sessions === true;
    this.#pacer = makePacer(load, this.#bySessions ? { ...limits, requests: null } : limits, seed);
    const bounds = this.#bySlots || this.#bySessions ? limits : { ...limits, requests: null };
    this.book = talks ? new TurnBook(bounds, this.#openings(workload)) : null;
  }

  next(view: PacerView): Dealt {
    const { book } = this;
    if (book === null || !(this.#bySlots || this.#bySessions)) return withTurn(this.#pacer.next(view), null);
    if (!book.hasDue(view.nowMs)) {
      if (book.empty && view.inFlight === 0) return 'done';
      return later(view.nowMs, book.nextMs);
    }
    if (this.#bySlots) {
      const pacing = this.#pacer.next({ ...view, inFlight: view.inFlight + book.thinking(view.nowMs) });
      if (isDue(pacing)) return withTurn(pacing, book.take(view.nowMs));
      return pacing === 'done' ? pacing : later(view.nowMs, book.nextMs, pacing === 'wait' ? Infinity : pacing.untilMs);
    }
    const turn = book.take(view.nowMs)!;
    return { atMs: turn.dueMs ?? view.nowMs, turn };
  }

  /** Whether the turns that a broken conversation did not come to were planned. */
  get losesTurns(): boolean {
    return this.#bySlots || this.#bySessions;
  }

  #openings(workload: Workload): () => Promise<Opening | null> {
    let turnsBefore = 0;
    return async () => {
      const pacing = this.#bySessions ? this.#pacer.next({ sent: 0, inFlight: 0, nowMs: 0 }) : null;
      if (pacing !== null && !isDue(pacing)) return null;
      const prompt = await workload.next();
      if (prompt === null) return null;
      const opening = { prompt, turnsBefore, dueMs: pacing?.atMs ?? null };
      turnsBefore += prompt.turns ?? 1;
      return opening;
    };
  }
}

function withTurn(pacing: Pacing, turn: Turn | null): Dealt {
  return isDue(pacing) ? { atMs: pacing.atMs, turn } : pacing;
}

/** The first of some moments that still lies ahead; without one, the next end. */
function later(nowMs: number, ...timesMs: number[]): { untilMs: number } | 'wait' {
  const untilMs = Math.min(...timesMs.filter((timeMs) => timeMs > nowMs));
  return untilMs < Infinity ? { untilMs } : 'wait';
}
