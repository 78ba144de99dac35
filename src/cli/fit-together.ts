import { say, UserError } from '../core/index.ts';
import type { Lang, Summary } from '../core/index.ts';
import { summaryOfRun } from '../run/index.ts';
import { findEntry } from '../store/index.ts';
import type { Bench } from './bench.ts';
import { last } from './command.ts';
import type { Given } from './command.ts';
import { nameOf } from './fit-document.ts';
import type { FittedEntry, NotFitted, SweepAsk } from './fit-document.ts';
import { markSimulated } from './fit-remarks.ts';
import { isForeign } from './is-foreign.ts';

/**
 * Runs of the store that were told one by one are the points of one sweep, where they are closed loops at three concurrencies
 * or more; null = they are not, and each is fitted for itself.
 */
export async function fitTogether(
  given: Given,
  fit: Bench['ask'],
  ask: SweepAsk,
): Promise<(FittedEntry | NotFitted)[] | null> {
  if (given.args.length < 3 || given.flags.has('probe') || last(given, 'format') === 'request-trace') return null;
  const points: Summary[] = [];
  for (const word of given.args) {
    if (await isForeign(word)) return null;
    const entry = await findEntry(given.common.store, word);
    if (entry.kind !== 'run') return null;
    points.push(await summaryOfRun(entry));
  }
  const loads = points.map(({ load }) => (load.kind === 'closed' ? load.concurrency : null));
  if (loads.includes(null) || new Set(loads).size < 3) return null;
  const sorted = points.toSorted((a, b) => a.load.concurrency! - b.load.concurrency!);
  const title = given.args.join(' + ');
  const entry = (await fit({
    do: 'fit-sweep',
    id: nameOf(title),
    title,
    points: sorted,
    ask,
  })) as FittedEntry | NotFitted;
  return [markSimulated(entry, sorted)];
}

/** Of several sweeps in a document those that lack the points asked for are left out and told; the others are fitted. */
export function leftOut(error: unknown, id: string, title: string, lang: Lang): NotFitted {
  if (!(error instanceof UserError)) throw error;
  const [mistake] = error.mistakes;
  return { id, title, why: `${say(mistake!.message, lang)}${lang === 'zh' ? '。' : '. '}${say(mistake!.hint, lang)}` };
}

/** A server's address is fitted by probes only, which somebody has to ask for. */
export function refuseBareUrl(word: string): void {
  if (!/^https?:\/\//i.test(word)) return;
  throw new UserError({
    code: 'settings-disagree',
    message: { en: 'a server is fitted by probing it', zh: '拟合服务器需要对其探测' },
    hint: {
      en: `dyno fit ${word.slice(0, 200)} --probe sends eight short probes.`,
      zh: `请用 dyno fit ${word.slice(0, 200)} --probe，会发送八个短探测。`,
    },
    place: { flag: '--probe' },
  });
}
