import type { Distribution, LoadShape, SpeedDistribution } from '../../core/index.ts';
import { goodJudge } from './goodput.ts';
import type { RequestDistributions } from './figures.ts';
import { makeLogHistogram } from './log-histogram.ts';
import type { LogHistogram } from './log-histogram.ts';
import { clearRequests, okOutcome, rowValues } from './request-table.ts';
import type { RequestTable, RowValue } from './request-table.ts';
import type { Slo } from './slo.ts';
import type { Window } from './steady-window.ts';

/** What is told of requests one by one, over the ok ones; lateness over all that left. */
const folded = {
  latencyMs: rowValues.latencyMs,
  ttftMs: rowValues.ttftMs,
  tpotMs: rowValues.tpotMs,
  timeToAnswerMs: rowValues.timeToAnswerMs,
  latencyFromDueMs: rowValues.latencyFromDueMs,
  ttftFromDueMs: rowValues.ttftFromDueMs,
  inputTokens: rowValues.inputTokens,
  outputTokens: rowValues.outputTokens,
  userTokensPerSec: rowValues.userTokensPerSec,
} satisfies Record<string, RowValue>;
type FoldedName = keyof typeof folded;

/** More than one, or a table that is given up would not be empty before the next. */
const stepRows = 2;

/** Busy time is kept in whole 2^-14ths of a ms, so that its sum does not depend on the order. */
const grain = 2 ** 14;

/**
 * Requests of a long run whose rows were given up: histograms and sums, which do not grow with their number. Percentiles
 * are within 0.1 %; when each request was under way is forgotten, so the steady part cannot be told any more.
 */
export class FoldedRequests {
  readonly #histograms = new Map<FoldedName | 'latenessMs', LogHistogram>();
  #fromMs = Infinity;
  #toMs = -Infinity;
  #busy = 0;
  #good: number | null = 0;
  readonly #judge: ReturnType<typeof goodJudge>;
  /** Rows on their way here, and how many of them have come: all at once they would hold the client up for seconds. */
  #leaving: RequestTable | null = null;
  #left = 0;

  constructor(slos: readonly Slo[], stream: boolean) {
    this.#judge = goodJudge(slos, stream);
  }

  /** Takes a table over; its rows come in as `step` is called, at the latest when somebody reads. */
  take(table: RequestTable): void {
    this.#finish();
    this.#leaving = table;
    this.#left = 0;
  }

  /** Takes the next few rows in; called with every request, so that a table is empty before the next one is full. */
  step(): void {
    if (this.#leaving !== null) this.#rows(this.#leaving, stepRows);
  }

  merge(other: FoldedRequests): void {
    this.#finish();
    other.#finish();
    for (const [name, histogram] of other.#histograms) this.#of(name).merge(histogram);
    this.#fromMs = Math.min(this.#fromMs, other.#fromMs);
    this.#toMs = Math.max(this.#toMs, other.#toMs);
    this.#busy += other.#busy;
    this.#good = this.#good === null || other.#good === null ? null : this.#good + other.#good;
  }

  /** First send and last end of everything that left; null where nothing did. */
  get span(): Window | null {
    this.#finish();
    return this.#fromMs <= this.#toMs ? { fromMs: this.#fromMs, toMs: this.#toMs } : null;
  }

  /** Mean number in flight over the whole span. */
  get meanInFlight(): number | null {
    this.#finish();
    const spanMs = this.#toMs - this.#fromMs;
    return spanMs > 0 ? this.#busy / grain / spanMs : null;
  }

  /** Requests that kept every promise; null = a fact that a promise needs is missing. */
  get good(): number | null {
    this.#finish();
    return this.#good;
  }

  distribution(name: FoldedName | 'latenessMs'): Distribution | null {
    this.#finish();
    return this.#histograms.get(name)?.distribution() ?? null;
  }

  /** The speeds that users saw. */
  speeds(): SpeedDistribution | null {
    this.#finish();
    return this.#histograms.get('userTokensPerSec')?.speeds() ?? null;
  }

  /** As requestDistributions tells them of rows. */
  distributions(load: Pick<LoadShape, 'kind'>, stream: boolean): RequestDistributions {
    const open = load.kind === 'open';
    const over = (name: FoldedName | 'latenessMs', wanted = true): Distribution | null =>
      wanted ? this.distribution(name) : null;
    return {
      latencyMs: over('latencyMs'),
      ttftMs: over('ttftMs', stream),
      tpotMs: over('tpotMs', stream),
      latencyFromDueMs: over('latencyFromDueMs', open),
      ttftFromDueMs: over('ttftFromDueMs', open && stream),
      latenessMs: over('latenessMs', open),
    };
  }

  #finish(): void {
    if (this.#leaving !== null) this.#rows(this.#leaving, Infinity);
  }

  #rows(table: RequestTable, count: number): void {
    const until = Math.min(table.sent.length, this.#left + count);
    for (; this.#left < until; this.#left++) this.#row(table, this.#left);
    if (until < table.sent.length) return;
    clearRequests(table);
    this.#leaving = null;
  }

  #row(table: RequestTable, row: number): void {
    const kept = this.#judge(table, row);
    this.#good = this.#good === null || kept === null ? null : this.#good + (kept ? 1 : 0);
    const sent = table.sent.at(row);
    if (Number.isNaN(sent)) return;
    const end = table.end.at(row);
    this.#fromMs = Math.min(this.#fromMs, sent);
    this.#toMs = Math.max(this.#toMs, end);
    this.#busy += Math.round((end - sent) * grain);
    this.#add('latenessMs', rowValues.latenessMs(table, row));
    if (table.outcome.at(row) !== okOutcome) return;
    for (const [name, value] of Object.entries(folded)) this.#add(name as FoldedName, value(table, row));
  }

  #add(name: FoldedName | 'latenessMs', value: number): void {
    if (!Number.isNaN(value)) this.#of(name).add(value, 1);
  }

  #of(name: FoldedName | 'latenessMs'): LogHistogram {
    let histogram = this.#histograms.get(name);
    if (histogram === undefined) this.#histograms.set(name, (histogram = makeLogHistogram()));
    return histogram;
  }
}
