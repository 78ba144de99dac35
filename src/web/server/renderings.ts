import { comparisonIn } from '../../results/report/index.ts';
import type { Lang } from '../../core/index.ts';
import type { StoredRun, StoredSweep } from '../../results/store/index.ts';
import { comparisonOf, fileForms, machinesOf, renderForm, reporters, storedSource } from '../../lab/index.ts';
import type { ReporterName, ReportSource } from '../../lab/index.ts';

/** Something of the store. */
export type Entry = StoredRun | StoredSweep;

/** A file to hand out. */
export interface Rendering {
  content: string | Uint8Array;
  /** Its ending: html, csv … */
  ending: string;
}

/** Forms of one result, as after `dyno report --as`, and of several, as after `dyno compare --as`. */
export const forms = {
  one: [...Object.keys(reporters), ...fileForms],
  several: ['markdown', 'json', 'html', 'svg', 'png', 'xlsx', 'text'],
} as const;

const endings: Readonly<Record<string, string>> = { markdown: 'md', junit: 'xml', csv: 'csv', json: 'json' };

/** Entries of the store with all that is known beside them. */
export async function sourcesOf(store: string, entries: readonly Entry[]): Promise<ReportSource[]> {
  const sources: ReportSource[] = [];
  for (const entry of entries) sources.push(await storedSource(store, entry));
  return sources;
}

/** A result, or the comparison of several, in a form. What a picture lacks is told to nobody. */
export async function renderingOf(sources: readonly ReportSource[], form: string, lang: Lang): Promise<Rendering> {
  const comparison = sources.length > 1 ? await comparisonOf(sources, []) : undefined;
  const file = fileForms.find((known) => known === form);
  if (file !== undefined) {
    const what = { sources, ...(comparison && { comparison }) };
    const content = await renderForm(what, file, { lang, warn: () => {} });
    return { content, ending: file === 'png' && typeof content === 'string' ? 'svg' : file };
  }
  const options = { lang, machineOf: machinesOf(sources) };
  const ending = endings[form] ?? 'txt';
  if (comparison === undefined) return { content: reporters[form as ReporterName](sources[0]!.what, options), ending };
  const sweeps = sources.map(({ sweep }) => sweep);
  return { content: comparisonIn(form, comparison, sweeps, options), ending };
}
