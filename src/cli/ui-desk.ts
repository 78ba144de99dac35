import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { exitCodes, invariant, printable } from '../core/index.ts';
import type { Lang } from '../core/index.ts';
import { comparisonMarkdown, comparisonReportText, reporters } from '../report/index.ts';
import type { ReporterName } from '../report/index.ts';
import { saveImportedSweep } from '../store/index.ts';
import type { Desk, Job, Kept, Rendering } from '../web/index.ts';
import type { Given } from './command.ts';
import { comparisonOf } from './commands/compare.ts';
import { audited } from './commands/import.ts';
import { importPaths } from './import-files.ts';
import { fileForms, figuresOf, renderForm } from './render.ts';
import type { FileForm } from './render.ts';
import { reportOptions } from './show.ts';
import { storedTold } from './told.ts';
import type { Told } from './told.ts';
import { version } from './version.ts';

type Entries = Parameters<Desk['compare']>[0];

const severalForms = ['markdown', 'json', 'html', 'svg', 'png', 'xlsx', 'text'] as const;
const endings: Readonly<Record<string, string>> = { markdown: 'md', junit: 'xml' };
const keptWords = 4000;

/** What the command line does for the page: the same code that report, compare, import and run use. `team` is put behind what is begun. */
export function uiDesk(given: Given, team: readonly string[] = []): Desk {
  const quiet = (lang: Lang): Given => ({
    ...given,
    common: { ...given.common, lang, json: false, quiet: true },
    io: { ...given.io, out: () => {}, err: () => {}, outIsTty: false, errIsTty: false },
  });
  const tell = async (entries: Entries): Promise<Told[]> => {
    const told: Told[] = [];
    for (const entry of entries) told.push(await storedTold(given, entry));
    return told;
  };
  return {
    store: given.common.store,
    version,
    figures: async (entry) => figuresOf(await tell([entry])),
    compare: async (entries) => {
      const told = await tell(entries);
      const comparison = await comparisonOf(told, []);
      return { comparison, figures: await figuresOf(told), sweeps: told.map(({ sweep }) => sweep) };
    },
    render: async (entries, form, lang) => rendering(quiet(lang), await tell(entries), form),
    forms: { one: [...Object.keys(reporters), ...fileForms], several: severalForms },
    keep: (folder) => keep(given, folder),
    begin: (words) => begin([...words, ...team], given),
  };
}

async function rendering(given: Given, told: readonly Told[], form: string): Promise<Rendering> {
  const options = reportOptions(given);
  const comparison = told.length > 1 ? await comparisonOf(told, []) : undefined;
  const ending = endings[form] ?? (form in reporters && !['csv', 'json'].includes(form) ? 'txt' : form);
  const file = fileForms.find((known) => known === form);
  if (file !== undefined)
    return { content: await renderForm(given, { told, ...(comparison && { comparison }) }, file as FileForm), ending };
  if (comparison === undefined) return { content: reporters[form as ReporterName](told[0]!.what, options), ending };
  const content =
    form === 'json'
      ? `${JSON.stringify(comparison, null, 2)}\n`
      : form === 'markdown'
        ? comparisonMarkdown(comparison, options)
        : comparisonReportText(comparison, options);
  return { content, ending };
}

async function keep(given: Given, folder: string): Promise<Kept> {
  const imported = await importPaths([folder], 'auto');
  const sweeps = imported.sweeps.map(audited);
  for (const { id, title, variable, points, findings } of sweeps)
    await saveImportedSweep(given.common.store, {
      sweep: { schema: 'llmdyno.sweep/1', id, title, variable, points, findings },
      importedAt: new Date().toISOString(),
      llmdyno: version,
      command: null,
    });
  return {
    sweeps: sweeps.map(({ id, title, points }) => ({ id, title, points: points.length })),
    problems: imported.problems,
  };
}

/** A run outlives the page: a process of its own, whose folder says how it goes; what it says goes into a file, not a pipe. */
function begin(words: readonly string[], given: Given): Job {
  const script = process.argv[1];
  invariant(script !== undefined, 'a command knows which file it was started from');
  const folder = mkdtempSync(join(tmpdir(), 'dyno-job-'));
  const file = join(folder, 'said.txt');
  const out = openSync(file, 'a');
  const store = resolve(given.common.store);
  const child = spawn(process.execPath, [script, ...words, '--store', store, '--lang', given.common.lang], {
    stdio: ['ignore', 'ignore', out],
    detached: true,
  });
  closeSync(out);
  let code: number | null = null;
  let ended: string | null = null;
  const end = (exit: number): void => {
    ended = tailOf(file);
    code = exit;
    rmSync(folder, { recursive: true, force: true });
  };
  child.once('error', () => end(exitCodes.bug));
  child.once('exit', (exit) => end(exit ?? exitCodes.interrupted));
  child.unref();
  return { said: () => ended ?? tailOf(file), exitCode: () => code };
}

function tailOf(file: string): string {
  const text = readFileSync(file, 'utf8').slice(-keptWords);
  return text.split('\n').map(printable).join('\n').trim();
}
