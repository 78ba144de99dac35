import type { Distribution, LoadShape } from '../core/index.ts';
import { countGood } from './goodput.ts';
import type { RequestDistributions } from './figures.ts';
import { makeLogHistogram } from './log-histogram.ts';
import type { LogHistogram } from './log-histogram.ts';
import { okOutcome, rowValues } from './request-table.ts';
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

  /** Takes all rows of a table in. */
  fold(table: RequestTable, slos: readonly Slo[], stream: boolean): void {
    for (let row = 0; row < table.sent.length; row++) this.#row(table, row);
    const good = countGood(table, slos, stream);
    this.#good = this.#good === null || good === null ? null : this.#good + good;
  }

  merge(other: FoldedRequests): void {
    for (const [name, histogram] of other.#histograms) this.#of(name).merge(histogram);
    this.#fromMs = Math.min(this.#fromMs, other.#fromMs);
    this.#toMs = Math.max(this.#toMs, other.#toMs);
    this.#busy += other.#busy;
    this.#good = this.#good === null || other.#good === null ? null : this.#good + other.#good;
  }

  /** First send and last end of everything that left; null where nothing did. */
  get span(): Window | null {
    return this.#fromMs <= this.#toMs ? { fromMs: this.#fromMs, toMs: this.#toMs } : null;
  }

  /** Mean number in flight over the whole span. */
  get meanInFlight(): number | null {
    const spanMs = this.#toMs - this.#fromMs;
    return spanMs > 0 ? this.#busy / grain / spanMs : null;
  }

  /** Requests that kept every promise; null = a fact that a promise needs is missing. */
  get good(): number | null {
    return this.#good;
  }

  distribution(name: FoldedName | 'latenessMs'): Distribution | null {
    return this.#histograms.get(name)?.distribution() ?? null;
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

  #row(table: RequestTable, row: number): void {
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
