import { isGrid } from '../../core/index.ts';
import type { Summary } from '../../core/index.ts';
import type { ImportedSweep, Origin } from './imported.ts';
import { engineIn, namesModel } from './surroundings.ts';
import { summaryOf } from './draft-summary.ts';
import type { PointDraft } from './point-draft.ts';

/** Points that belong together, before they have names. */
export interface DraftSweep {
  /** From the outermost heading to the innermost; empty = the file itself. */
  path: readonly string[];
  drafts: readonly PointDraft[];
}

/** Names sweeps and their points: the innermost heading, with as many outer ones as tell them apart. */
export function sweepsOf(sweeps: readonly DraftSweep[], file: string): ImportedSweep[] {
  const base = baseName(file);
  const titles = uniqueTitles(sweeps.map((sweep) => (sweep.path.length > 0 ? sweep.path : [base])));
  const used = new Set<string>();
  return sweeps.map((sweep, i) => {
    const content = `${base}\n${sweep.path.join('\n')}\n${fingerprint(sweep.drafts)}`;
    const id = uniqueId(`${slug(base.replace(/\.\w{1,8}$/, ''))}-${slug(titles[i]!)}`, content, used);
    const points = sweep.drafts.map((draft, n) => summaryOf(draft, `${id}-p${String(n + 1).padStart(2, '0')}`, file));
    return {
      id,
      title: spokenTitle(titles[i]!, sweep.drafts),
      file,
      variable: variableOf(points),
      points,
      requests: sweep.drafts.map(({ requests }) => requests),
      origins: originsOf(sweep.drafts),
    };
  });
}

function variableOf(points: readonly Summary[]): ImportedSweep['variable'] {
  if (isGrid(points)) return 'grid';
  const closed = points.some(({ load }) => load.concurrency !== null);
  return closed || points.every(({ load }) => load.ratePerSec === null) ? 'concurrency' : 'rate';
}

/** A heading that names neither engine nor model says little on a chart: both stand in front of it where they are known. */
function spokenTitle(title: string, drafts: readonly PointDraft[]): string {
  if (engineIn(title) !== null || namesModel(title)) return title;
  const same = (of: (draft: PointDraft) => string | null): string | null => {
    const values = new Set(drafts.map(of));
    return values.size === 1 ? [...values][0]! : null;
  };
  return [same(({ engine }) => engine), same(({ model }) => model), title].filter((part) => part !== null).join(' · ');
}

function originsOf(drafts: readonly PointDraft[]): Origin[] {
  const each = new Map<string, Origin>();
  for (const origin of drafts.flatMap(({ origins }) => origins)) {
    const key = `${origin.name}=${origin.value}`;
    if (!each.has(key)) each.set(key, origin);
  }
  return [...each.values()];
}

function uniqueTitles(paths: readonly (readonly string[])[]): string[] {
  return paths.map((path) => {
    for (let depth = 1; depth < path.length; depth++) {
      const title = path.slice(-depth).join(' / ');
      if (paths.filter((other) => other.slice(-depth).join(' / ') === title).length === 1) return title;
    }
    return path.join(' / ');
  });
}

function fingerprint(drafts: readonly PointDraft[]): string {
  return drafts.map((draft) => [...draft.facts].map(([key, fact]) => `${key}=${fact.digits}`).join(',')).join(';');
}

/** Last part of a path in either style, safe to show. */
export function baseName(file: string): string {
  return file.split(/[/\\]/).at(-1) || 'import';
}

function slug(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9.]+/g, '-')
    .replaceAll('.', '-')
    .replaceAll(/-+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 24)
    .replace(/-$/, '');
}

function uniqueId(name: string, content: string, used: Set<string>): string {
  let h = 2166136261;
  for (let i = 0; i < content.length; i++) h = Math.imul(h ^ content.charCodeAt(i), 16777619);
  const stem = `import-${name.replaceAll(/^-+|-+$/g, '')}`.replaceAll(/-+/g, '-');
  let id = `${stem}-${(h >>> 0).toString(16).padStart(8, '0')}`;
  for (let n = 2; used.has(id); n++) id = `${stem}-${(h >>> 0).toString(16).padStart(8, '0')}-${n}`;
  used.add(id);
  return id;
}
