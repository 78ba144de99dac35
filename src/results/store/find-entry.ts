import { isAbsolute, basename, join, resolve } from 'node:path';
import { printable, userError, UserError } from '../../core/index.ts';
import { readTags } from './read-tags.ts';
import { isSafeName } from './run-id.ts';
import { entriesIn, folderNames, readEntry } from './stored-entry.ts';
import type { StoredEntry, StoredRun, StoredSweep } from './stored-entry.ts';
import { tunesNamed } from './stored-tune.ts';
import type { StoredTune } from './stored-tune.ts';

/**
 * The run or sweep that a word means: an id, the unique beginning of one, `SWEEP/RUN`, a label, a tag, `latest`, or a path
 * (a word with a separator that names a folder). Anything but a path stays inside the store.
 */
export async function findEntry(store: string, word: string): Promise<StoredRun | StoredSweep> {
  if (/[/\\]/.test(word) || isAbsolute(word)) {
    const entry = (await findBelow(store, word)) ?? (await readEntry(resolve(word), basename(resolve(word))));
    // A name may hold a slash too.
    return entry ?? pick(store, word, await entriesIn(store), new Set());
  }
  if (isSafeName(word) && (await folderNames(store)).includes(word)) {
    const entry = await readEntry(join(resolve(store), word), word);
    if (entry !== null) return entry;
  }
  const entries = await entriesIn(store);
  return pick(store, word, entries, await taggedWith(word, entries));
}

/** The entries that have a word as a tag. */
async function taggedWith(word: string, entries: readonly StoredEntry[]): Promise<ReadonlySet<string>> {
  const tagged = new Set<string>();
  for (const entry of entries)
    if (entry.kind !== 'broken' && (await readTags(entry.dir)).includes(word)) tagged.add(entry.id);
  return tagged;
}

/** The run, sweep or search that a word means; a search by its id, the unique beginning of one, or its name. */
export async function findWhatever(store: string, word: string): Promise<StoredRun | StoredSweep | StoredTune> {
  const tunes = word === 'latest' || /[/\\]/.test(word) ? [] : await tunesNamed(store, word);
  if (tunes[0]?.id === word) return tunes[0];
  const other = await findEntry(store, word).catch((error: unknown) => {
    if (tunes.length > 0 && error instanceof UserError && error.mistakes[0]?.code === 'no-such-run') return null;
    throw error;
  });
  const found = other === null ? tunes : [other, ...tunes];
  if (found.length > 1) throw severalRuns(word, found);
  return found[0]!;
}

/** `SWEEP/RUN` inside the store. */
async function findBelow(store: string, word: string): Promise<StoredRun | StoredSweep | null> {
  const parts = word.split('/');
  const [sweep = '', run = ''] = parts;
  if (parts.length !== 2 || !isSafeName(sweep) || !isSafeName(run)) return null;
  return readEntry(join(resolve(store), sweep, run), run);
}

function pick(
  store: string,
  word: string,
  entries: readonly StoredEntry[],
  tagged: ReadonlySet<string>,
): StoredRun | StoredSweep {
  const readable = entries.filter((entry) => entry.kind !== 'broken');
  if (word === 'latest') {
    const last = readable.toSorted((a, b) => (a.record.startedAt < b.record.startedAt ? -1 : 1)).at(-1);
    if (last === undefined) throw noSuchRun(store, word);
    return last;
  }
  const labelled = readable.filter((entry) => labelOf(entry) === word);
  const begun = word === '' ? [] : readable.filter((entry) => entry.id.startsWith(word));
  const found = [labelled, readable.filter(({ id }) => tagged.has(id)), begun].find(({ length }) => length > 0) ?? [];
  const [only] = found;
  if (only === undefined) throw noSuchRun(store, word, readable);
  if (found.length > 1) throw severalRuns(word, found);
  return only;
}

/** The label of a run, the title of a sweep. */
export function labelOf(entry: StoredRun | StoredSweep): string | null {
  return entry.facts?.own.name ?? (entry.kind === 'run' ? entry.record.plan.label : entry.record.title);
}

function noSuchRun(store: string, word: string, readable: readonly (StoredRun | StoredSweep)[] = []): UserError {
  const shown = printable(word).slice(0, 100);
  const near = readable
    .filter((entry) => word !== '' && `${entry.id}\n${labelOf(entry) ?? ''}`.toLowerCase().includes(word.toLowerCase()))
    .slice(0, 5)
    .map(({ id }) => id)
    .join(', ');
  const [nearEn, nearZh] =
    near === '' ? ['', ''] : [`Some have it in their name: ${near}. `, `名称中含此文字的有：${near}。`];
  return userError(
    'no-such-run',
    `no run "${shown}" in ${store}`,
    `${store} 中没有运行 "${shown}"`,
    `${nearEn}List what is there with \`dyno runs\`; a run is named by its id, the beginning of it, its label, a tag, its path, or \`latest\`; points inside of one as SWEEP/p02 or SWEEP[concurrency=100].`,
    `${nearZh}用 \`dyno runs\` 查看；可用 id、id 前缀、标签、标记、路径或 \`latest\` 指定；其中的点写作 SWEEP/p02 或 SWEEP[concurrency=100]。`,
  );
}

function severalRuns(word: string, found: readonly { id: string }[]): UserError {
  const ids = found.slice(0, 5).map((entry) => entry.id);
  const more = found.length > ids.length ? ' …' : '';
  return userError(
    'several-runs',
    `"${printable(word).slice(0, 100)}" means ${found.length} runs`,
    `"${printable(word).slice(0, 100)}" 对应 ${found.length} 个运行`,
    `Name one of: ${ids.join(', ')}${more}`,
    `请指定其一：${ids.join(', ')}${more}`,
  );
}
