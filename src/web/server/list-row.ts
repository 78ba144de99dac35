import { join } from 'node:path';
import { UserError } from '../../core/index.ts';
import type { Phrase, Summary } from '../../core/index.ts';
import { exists, labelOf, openSweep, readSummary, readTags } from '../../results/store/index.ts';
import type { Row } from '../api/shapes.ts';
import type { Entry } from './renderings.ts';

/** The row of a run or sweep; figures of an unfinished run stay null until it has a summary. */
export async function rowOf(store: string, entry: Entry): Promise<Row> {
  const points = entry.kind === 'run' ? [await readSummary(entry)] : await summariesOf(store, entry);
  const known = points.filter((point) => point !== null);
  const finished = entry.kind === 'sweep' ? entry.record.finished : await exists(join(entry.dir, 'summary.json'));
  const best = known.toSorted((a, b) => (a.outputTokensPerSec ?? 0) - (b.outputTokensPerSec ?? 0)).at(-1) ?? null;
  const plan = entry.kind === 'run' ? entry.record.plan : null;
  return {
    id: entry.id,
    kind: entry.kind,
    label: labelOf(entry),
    tags: await tagsOf(entry.dir),
    finished,
    live: !finished,
    startedAt: known.find((point) => point.source.tool !== 'llmdyno')?.startedAt ?? entry.record.startedAt,
    model: plan?.target.model ?? known.find(({ model }) => model !== null)?.model ?? null,
    engine: engineOf(known, plan?.target.api ?? null),
    card: cardOf(known),
    tool: known[0]?.source.tool ?? 'llmdyno',
    simulated: entry.kind === 'run' ? entry.record.simulated : known.some(({ simulated }) => simulated),
    simulatedEngine: known.some(({ engine }) => engine?.simulated === true),
    verdict: verdictOf(known),
    points: entry.kind === 'run' ? 1 : entry.record.points.length,
    spark: {
      load: known.map(({ load }) => load.ratePerSec ?? load.concurrency),
      isRate: known.some(({ load }) => load.ratePerSec !== null),
      outputTokensPerSec: known.map((point) => point.outputTokensPerSec),
    },
    requestsPerSec: best?.requestsPerSec ?? null,
    outputTokensPerSec: best?.outputTokensPerSec ?? null,
    ttftP50Ms: best?.ttftMs?.p50 ?? best?.ttftMs?.mean ?? null,
    latencyMeanMs: best?.latencyMs?.mean ?? null,
    failed: sum(known.map(({ counts }) => counts.failed)),
    planned: plan?.requests ?? sum(known.map(({ counts }) => counts.planned)),
    why: null,
  };
}

/** The row of a folder that cannot be read. */
export function brokenRow(id: string, why: Phrase): Row {
  return {
    id,
    kind: 'broken',
    label: null,
    tags: [],
    finished: true,
    live: false,
    startedAt: null,
    model: null,
    engine: null,
    card: null,
    tool: 'llmdyno',
    simulated: false,
    simulatedEngine: false,
    verdict: 'none',
    points: 0,
    spark: { load: [], isRate: false, outputTokensPerSec: [] },
    requestsPerSec: null,
    outputTokensPerSec: null,
    ttftP50Ms: null,
    latencyMeanMs: null,
    failed: null,
    planned: null,
    why,
  };
}

async function summariesOf(store: string, entry: Entry & { kind: 'sweep' }): Promise<(Summary | null)[]> {
  const opened = await openSweep(store, entry.dir);
  const read = await Promise.all(opened.runs.map((run) => readSummary(run).catch(() => null)));
  return [...(entry.record.summaries ?? []), ...read];
}

function verdictOf(points: readonly Summary[]): Row['verdict'] {
  if (points.length === 0) return 'none';
  if (points.some(({ verdict }) => !verdict.valid)) return 'invalid';
  return points.some(({ verdict }) => verdict.findings.some(({ severity }) => severity === 'warn')) ? 'warn' : 'valid';
}

function engineOf(points: readonly Summary[], api: string | null): string | null {
  const server = points.find((point) => typeof point.server?.['engine'] === 'string')?.server?.['engine'];
  if (typeof server === 'string') return server;
  const profile = points.find((point) => typeof point.server?.['profile'] === 'string')?.server?.['profile'];
  if (typeof profile === 'string') return profile;
  const tool = points[0]?.source.tool;
  return tool === undefined || tool === 'llmdyno' ? api : tool;
}

function cardOf(points: readonly Summary[]): string | null {
  for (const { devices } of points) {
    const list = devices?.['devices'] ?? devices?.['list'];
    if (!Array.isArray(list)) continue;
    const first = list[0] as { name?: unknown } | undefined;
    if (typeof first?.name === 'string') return first.name;
  }
  return null;
}

function sum(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((a, b) => a + b, 0);
}

async function tagsOf(dir: string): Promise<string[]> {
  try {
    return await readTags(dir);
  } catch (error) {
    if (error instanceof UserError) return [];
    throw error;
  }
}
