import { say } from '../core/index.ts';
import type { Sweep } from '../core/index.ts';
import type { Outcome } from '../lab/index.ts';
import { findInWords, findScreen, whyInWords } from '../results/report/index.ts';
import type { FindResult } from '../results/report/index.ts';
import type { ParsedCommand } from './command.ts';
import { screenOptions, showSweep } from './show.ts';

type Found = NonNullable<Outcome['found']>;

/** What dyno find ends with: one screen, or `llmdyno.find/1`; with --all every load that was looked at stands above. */
export function showFind(given: ParsedCommand, { sweep, dir }: Outcome, found: FindResult, url: string | null): void {
  if (given.common.json) {
    given.io.out(`${JSON.stringify(findDocument(found), null, 2)}\n`);
    return;
  }
  if (given.flags.has('all') && sweep !== null) showSweep(given, sweep, dir, url);
  given.io.out(findScreen(found, screenOptions(given, dir, url)));
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

/** The result of a search: every load that was looked at, then the answer. null = the search was interrupted. */
export function showFound(
  given: ParsedCommand,
  sweep: Sweep,
  { dir, url }: { dir: string; url: string | null },
  found: Found | null,
  slo: readonly string[],
): void {
  const { lang, json } = given.common;
  if (json) {
    const told =
      found === null
        ? null
        : {
            variable: sweep.variable,
            slo,
            value: found.load,
            confirmed: found.confirmed,
            broken: found.broken,
            atMost: found.atMost,
            outOfRuns: found.outOfRuns,
          };
    given.io.out(`${JSON.stringify({ ...sweep, found: told }, null, 2)}\n`);
    return;
  }
  showSweep(given, sweep, dir, url);
  if (found === null) return;
  const name =
    sweep.variable === 'rate' ? say({ en: 'rate', zh: '速率' }, lang) : say({ en: 'concurrency', zh: '并发' }, lang);
  const unit = sweep.variable === 'rate' ? '/s' : '';
  const text =
    found.load === null
      ? say(
          {
            en: `even the least load breaks ${found.broken ?? slo.join(', ')}`,
            zh: `最小负载也违反 ${found.broken ?? slo.join('、')}`,
          },
          lang,
        )
      : say(
          {
            en: `largest ${name} that keeps ${slo.join(', ')}: ${found.load}${unit}, ${found.confirmed ? 'confirmed with fresh runs at the 90 % bound' : 'NOT confirmed'}${whyNoMore(found).en}`,
            zh: `满足 ${slo.join('、')} 的最大${name}：${found.load}${unit}，${found.confirmed ? '已用新的运行在 90 % 置信界确认' : '未确认'}${whyNoMore(found).zh}`,
          },
          lang,
        );
  given.io.out(`${text}\n`);
}

/** What stood in the way of a larger answer where it was not an SLO. */
function whyNoMore({ atMost, outOfRuns }: Found): { en: string; zh: string } {
  if (atMost) return { en: '; it is the end of the range, more may be possible', zh: '；已到范围上限，可能还可更大' };
  if (outOfRuns)
    return {
      en: '; the runs were spent before any load broke a limit, more may be possible: raise --find-runs',
      zh: '；运行次数用完时尚未有负载违反限制，可能还可更大：请增大 --find-runs',
    };
  return { en: '', zh: '' };
}
