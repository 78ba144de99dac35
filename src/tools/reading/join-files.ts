import type { Imported } from './imported.ts';
import type { DraftFile } from './import-whole.ts';
import type { PointDraft } from './point-draft.ts';
import { baseName, sweepsOf } from './sweeps-of.ts';

/** Files of one load test, in the order they were given. */
interface Group {
  tool: string;
  /** Where its sweep's points lie. */
  sweep: string;
  file: string;
  drafts: PointDraft[];
}

/**
 * Machine-written files as sweeps. Tools spread one load test over several files (evalscope: summary, percentiles,
 * arguments and requests in one folder; MindIE and AISBench: two tables); given together they become one point again.
 */
export function joinFiles(files: readonly DraftFile[]): Imported {
  const groups = new Map<string, Group>();
  const whole: { path: string[]; drafts: PointDraft[]; file: string }[] = [];
  for (const { file, drafts } of files) {
    for (const draft of drafts) {
      const key = testOf(draft.tool, file);
      if (key === null) {
        const last = whole.at(-1);
        if (last !== undefined && last.file === file) last.drafts.push(draft);
        else whole.push({ path: [], drafts: [draft], file });
        continue;
      }
      const known = groups.get(key.test);
      if (known === undefined) groups.set(key.test, { tool: draft.tool, sweep: key.sweep, file, drafts: [draft] });
      else known.drafts.push(draft);
    }
  }
  const sweeps = new Map<string, { path: string[]; drafts: PointDraft[]; file: string }>();
  for (const group of groups.values()) {
    const merged = mergeParts(group.drafts);
    if (merged === null) continue;
    if (group.tool === 'evalscope') useFolderName(merged, group.file);
    const known = sweeps.get(group.sweep);
    if (known === undefined)
      sweeps.set(group.sweep, { path: titleOf(group.sweep), drafts: [merged], file: group.file });
    else known.drafts.push(merged);
  }
  return {
    sweeps: [...whole, ...sweeps.values()].flatMap((sweep) => sweepsOf([sweep], sweep.file)),
    problems: files.flatMap((file) => file.problems),
  };
}

/** Which load test and sweep a file tells of; null = it stands alone. */
function testOf(tool: string, file: string): { test: string; sweep: string } | null {
  const parts = file.split(/[/\\]/);
  const name = parts.pop() ?? '';
  const folder = parts.join('/');
  if (tool === 'evalscope') return { test: `evalscope ${folder}`, sweep: `evalscope ${parts.slice(0, -1).join('/')}` };
  if (tool === 'mindie') {
    const stamp = /(?:result_perf|result_common|results_per_request)_?(.*)\.\w+$/.exec(name)?.[1] ?? '';
    return { test: `mindie ${folder} ${stamp}`, sweep: `mindie ${folder}` };
  }
  if (tool === 'aisbench') {
    const stem = name.replace(/(_details)?\.\w+$/, '');
    return { test: `aisbench ${folder} ${stem}`, sweep: `aisbench ${folder}` };
  }
  return null;
}

function titleOf(sweep: string): string[] {
  const folder = sweep.slice(sweep.indexOf(' ') + 1);
  return folder === '' ? [] : [baseName(folder)];
}

/** One point from its parts: printed figures first, then settings, then what can be computed from the requests. */
function mergeParts(drafts: readonly PointDraft[]): PointDraft | null {
  const order = [null, 'percentiles', 'requests', 'settings'];
  const sorted = drafts.toSorted((a, b) => order.indexOf(a.part) - order.indexOf(b.part));
  const [first, ...rest] = sorted;
  if (first === undefined || first.part === 'settings') return null;
  for (const other of rest) {
    for (const [key, fact] of other.facts) if (!first.facts.has(key)) first.facts.set(key, fact);
    // Figures of a window are not completed from the requests of the whole run; only the run's counts are taken.
    const window = first.server.has('stage') && other.part === 'requests';
    for (const [key, value] of other.derivedFacts) {
      if (!first.derivedFacts.has(key) && (!window || key.startsWith('counts.'))) first.derivedFacts.set(key, value);
    }
    first.samples ??= other.samples;
    if (first.requests.length === 0 && !window) first.requests = other.requests;
    for (const [key, value] of other.server) if (!first.server.has(key)) first.server.set(key, value);
    first.model ??= other.model;
    first.stream ??= other.stream;
    first.kind ??= other.kind;
    first.percentileMethod ??= other.percentileMethod;
  }
  return first;
}

/** evalscope names a point's folder after its load: `parallel_8_number_60`, `rate_20.0_number_40`. */
function useFolderName(draft: PointDraft, file: string): void {
  const folder = file.split(/[/\\]/).at(-2) ?? '';
  const match = /^(parallel|rate)_(\d+(?:\.\d+)?)_number_(\d+)$/.exec(folder);
  if (match === null || draft.get('load.concurrency') !== null || draft.get('load.ratePerSec') !== null) return;
  draft.derived(match[1] === 'rate' ? 'load.ratePerSec' : 'load.concurrency', Number(match[2]));
  draft.kind ??= match[1] === 'rate' ? 'open' : 'closed';
}
