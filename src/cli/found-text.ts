import { sweepDocument } from '../core/index.ts';
import type { Sweep } from '../core/index.ts';
import type { Outcome } from '../lab/index.ts';
import { findInWords, findScreen, whyInWords } from '../results/report/index.ts';
import type { FindResult } from '../results/report/index.ts';
import { printJson } from './command.ts';
import type { ParsedCommand } from './command.ts';
import { screenOptions, showSweep } from './show.ts';

type Found = NonNullable<Outcome['found']>;

/** What dyno find ends with: one screen, or `llmdyno.find/1`; with --all every load that was looked at stands below. */
export function showFind(given: ParsedCommand, { sweep, dir }: Outcome, found: FindResult, url: string | null): void {
  if (given.common.json) {
    printJson(given, findDocument(found));
    return;
  }
  if (given.flags.has('all') && sweep?.search !== undefined) showSweep(given, sweep, dir, url);
  else given.io.out(findScreen(found, screenOptions(given, dir, url)));
}

function findDocument(found: FindResult): Record<string, unknown> {
  const { kind, value, confirmed, breaksAt, limit, slo, probes, durationMs } = found;
  return {
    schema: 'llmdyno.find/1',
    answer: value === null ? null : { kind, value, confirmed },
    breaksAt,
    limit,
    slo,
    probes: probes.map(({ value: load, kept, fresh, summary }) => ({
      value: load,
      kept,
      fresh,
      durationMs: summary.durationMs,
      requests: summary.counts.issued,
      runId: summary.runId,
    })),
    durationMs,
    why: whyInWords(found)?.en ?? findInWords(found).en,
  };
}

/** The same with every summary, as a sweep that searched prints it with --json; found null = the search was interrupted. */
export function showFoundSweep(given: ParsedCommand, sweep: Sweep, found: Found | null, slo: readonly string[]): void {
  const answer = found === null ? null : { variable: sweep.variable, slo, value: found.load, ...factsOf(found) };
  printJson(given, { ...sweepDocument(sweep), found: answer });
}

function factsOf({ confirmed, broken, atMost, outOfRuns }: Found): Omit<Found, 'kind' | 'load'> {
  return { confirmed, broken, atMost, outOfRuns };
}
