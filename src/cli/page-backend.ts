import { resolve } from 'node:path';
import type { Lang } from '../core/index.ts';
import { comparisonIn, frontierTables } from '../results/report/index.ts';
import { machinesOf, reporters } from '../lab/index.ts';
import type { ReporterName } from '../lab/index.ts';
import type { PageBackend, ImportedSweeps, Rendering } from '../web/index.ts';
import type { ParsedCommand } from './command.ts';
import {
  audited,
  comparisonOf,
  importPaths,
  keepImports,
  startExperiment,
  storedSource,
  version,
} from '../lab/index.ts';
import { fileForms, figuresOf, renderForm } from './render.ts';
import type { FileForm } from './render.ts';
import { reportOptions } from './show.ts';
import { shownCommand } from './shown-command.ts';
import type { GivenSetting, ReportSource } from '../lab/index.ts';

type Entries = Parameters<PageBackend['compare']>[0];

const severalForms = ['markdown', 'json', 'html', 'svg', 'png', 'xlsx', 'text'] as const;
const endings: Readonly<Record<string, string>> = { markdown: 'md', junit: 'xml' };

/** What the command line does for the page: the same code that report, compare, import and run use. `team` = settings that everything begun there gets. */
export function pageBackend(given: ParsedCommand, team: readonly GivenSetting[] = []): PageBackend {
  const quiet = (lang: Lang): ParsedCommand => ({
    ...given,
    common: { ...given.common, lang, json: false, quiet: true },
    io: { ...given.io, out: () => {}, err: () => {}, outIsTty: false, errIsTty: false },
  });
  const tell = async (entries: Entries): Promise<ReportSource[]> => {
    const told: ReportSource[] = [];
    for (const entry of entries) told.push(await storedSource(given.common.store, entry));
    return told;
  };
  return {
    store: given.common.store,
    version,
    lang: given.common.lang,
    figures: async (entry) => figuresOf(await tell([entry])),
    compare: async (entries) => {
      const told = await tell(entries);
      const comparison = await comparisonOf(told, []);
      return { comparison, figures: await figuresOf(told), sweeps: told.map(({ sweep }) => sweep) };
    },
    frontier: async (entries) => {
      const told = await tell(entries);
      return frontierTables(
        told.map(({ sweep }) => sweep),
        machinesOf(told),
      );
    },
    render: async (entries, form, lang) => rendering(quiet(lang), await tell(entries), form),
    forms: { one: [...Object.keys(reporters), ...fileForms], several: severalForms },
    keep: (folder) => keep(given, folder),
    begin: ({ command, settings, profile, shown }) =>
      startExperiment({
        command,
        settings: [...settings, ...team],
        profile,
        store: resolve(given.common.store),
        shown: shownCommand([...shown, ...team.flatMap(({ name, texts }) => texts.map((text) => `--${name}=${text}`))]),
      }),
  };
}

async function rendering(given: ParsedCommand, told: readonly ReportSource[], form: string): Promise<Rendering> {
  const options = { ...reportOptions(given), machineOf: machinesOf(told) };
  const comparison = told.length > 1 ? await comparisonOf(told, []) : undefined;
  const ending = endings[form] ?? (form in reporters && !['csv', 'json'].includes(form) ? 'txt' : form);
  const file = fileForms.find((known) => known === form);
  if (file !== undefined) {
    const content = await renderForm(given, { sources: told, ...(comparison && { comparison }) }, file as FileForm);
    return { content, ending: file === 'png' && typeof content === 'string' ? 'svg' : ending };
  }
  if (comparison === undefined) return { content: reporters[form as ReporterName](told[0]!.what, options), ending };
  const sweeps = told.map(({ sweep }) => sweep);
  return { content: comparisonIn(form, comparison, sweeps, options), ending };
}

async function keep(given: ParsedCommand, folder: string): Promise<ImportedSweeps> {
  const imported = await importPaths([folder], 'auto');
  const sweeps = imported.sweeps.map(audited);
  await keepImports(sweeps, given.common.store, null);
  return {
    sweeps: sweeps.map(({ id, title, points }) => ({ id, title, points: points.length })),
    problems: imported.problems,
  };
}
