import { percentileRanks, verdictOf } from '../../core/index.ts';
import type { Counts, Distribution, ProblemCode, Summary } from '../../core/index.ts';
import { problems } from '../../core/index.ts';
import { withoutTokens } from '../../results/measure/index.ts';
import type { DistributionName, StatisticName } from './fact-key.ts';
import type { PointDraft } from './point-draft.ts';
import { courseOf } from './request-course.ts';

/** The draft as a summary; whatever the file did not say is null. */
export function summaryOf(draft: PointDraft, runId: string, file: string): Summary {
  const counts = countsOf(draft);
  const n = draft.samples ?? counts.ok ?? 0;
  const distribution = (name: DistributionName): Distribution | null => distributionFrom(draft, name, n);
  return withoutTokens<Summary>({
    schema: 'llmdyno.summary/1',
    runId,
    label: draft.label,
    source: {
      tool: draft.tool,
      file: file.split(/[/\\]/).at(-1) ?? null,
      ...(draft.block !== null && { block: draft.block }),
    },
    simulated: false,
    partial: false,
    model: draft.model,
    startedAt: draft.startedAt,
    load: {
      kind: draft.kind,
      concurrency: draft.get('load.concurrency'),
      ratePerSec: draft.get('load.ratePerSec'),
      stream: draft.stream,
    },
    ...(draft.asked !== null && { lengthsAsked: draft.asked }),
    ...askedOf(draft),
    counts,
    durationMs: draft.get('durationMs'),
    requestsPerSec: draft.get('requestsPerSec'),
    inputTokensPerSec: draft.get('inputTokensPerSec'),
    outputTokensPerSec: draft.get('outputTokensPerSec'),
    totalTokensPerSec: draft.get('totalTokensPerSec'),
    inputCharsPerSec: draft.get('inputCharsPerSec'),
    outputCharsPerSec: draft.get('outputCharsPerSec'),
    concurrencyAchieved: draft.get('concurrencyAchieved'),
    latencyMs: distribution('latencyMs'),
    ttftMs: distribution('ttftMs'),
    tpotMs: distribution('tpotMs'),
    itlMs: distribution('itlMs'),
    latencyFromDueMs: distribution('latencyFromDueMs'),
    ttftFromDueMs: distribution('ttftFromDueMs'),
    latenessMs: distribution('latenessMs'),
    timeToAnswerMs: distribution('timeToAnswerMs'),
    inputTokens: distribution('inputTokens'),
    outputTokens: distribution('outputTokens'),
    userTokensPerSec: distribution('userTokensPerSec'),
    cachedInputRatio: draft.get('cachedInputRatio'),
    goodput: goodputOf(draft),
    steady: null,
    ...(draft.kind !== null && courseOf(draft.requests, draft.kind === 'closed' ? 'closed' : 'open')),
    percentileMethod: draft.percentileMethod,
    tokenSource: { input: draft.tokenSource, output: draft.tokenSource },
    printed: Object.fromEntries([...draft.facts].map(([key, fact]) => [key, fact.digits])),
    printedLines: Object.fromEntries([...draft.facts].map(([key, fact]) => [key, fact.line])),
    alsoPrinted: draft.mentions,
    server: serverOf(draft),
    devices: null,
    client: null,
    verdict: verdictOf([]),
  });
}

function askedOf({ engine, variant, settings }: PointDraft): Pick<Summary, 'asked'> {
  if (engine === null && variant === null && settings.size === 0) return {};
  return {
    asked: {
      ...(engine !== null && { engine }),
      ...(variant !== null && { variant }),
      ...(settings.size > 0 && { settings: Object.fromEntries(settings) }),
    },
  };
}

function goodputOf(draft: PointDraft): Summary['goodput'] {
  const rate = draft.get('goodput.requestsPerSec');
  return rate === null ? null : { slo: [], requestsPerSec: rate, ratio: null };
}

function distributionFrom(draft: PointDraft, name: DistributionName, n: number): Distribution | null {
  if (draft.misnamed.has(name)) return null;
  const read = (statistic: StatisticName): number | null => draft.get(`${name}.${statistic}`);
  const percentiles = Object.fromEntries(percentileRanks.map((rank) => [`p${rank}`, read(`p${rank}`)]));
  const out = { mean: read('mean'), min: read('min'), max: read('max'), ...percentiles, n } as Distribution;
  const known = [out.mean, out.min, out.max, ...percentileRanks.map((rank) => out[`p${rank}`])];
  return known.every((value) => value === null) ? null : out;
}

/**
 * Every run of ours knows its counts, so core types them as numbers; a table may print failures only or nothing.
 * What it does not say leaves here as null, by this one cast, and the law planned = ok + failed + … + unaccounted
 * holds whenever its terms are known.
 */
function countsOf(draft: PointDraft): Counts & { ok: number | null } {
  const failed = draft.get('counts.failed');
  const cancelled = draft.get('counts.cancelled');
  const dropped = draft.get('counts.dropped');
  const ended = draft.get('counts.ended');
  const lost = (failed ?? 0) + (cancelled ?? 0) + (dropped ?? 0);
  const rest = ended !== null && failed !== null && ended >= failed ? ended - failed : null;
  const ok = draft.get('counts.ok') ?? rest;
  const known = ok !== null && failed !== null ? ok + lost : null;
  const said = draft.get('counts.planned') ?? ended;
  // A source that counts more than it planned is wrong about one of them: audit reads the mention, the sum stays lawful.
  const planned = said === null || (known !== null && said < known) ? known : said;
  const sawAny = ok !== null || failed !== null;
  const byProblem: Partial<Record<ProblemCode, number>> = {};
  for (const [code, count] of draft.byProblem)
    if (Object.hasOwn(problems, code)) byProblem[code as ProblemCode] = count;
  const counts = {
    planned,
    issued: planned === null ? null : planned - (dropped ?? 0),
    ok,
    failed,
    cancelled: sawAny ? (cancelled ?? 0) : null,
    dropped: sawAny ? (dropped ?? 0) : null,
    unaccounted: planned === null || known === null ? null : planned - known,
    byProblem,
  };
  return counts as unknown as Counts & { ok: number | null };
}

function serverOf(draft: PointDraft): Record<string, unknown> | null {
  const entries: [string, unknown][] = [...draft.server];
  for (const [key, fact] of draft.facts) if (key.startsWith('server.')) entries.push([key.slice(7), fact.value]);
  return entries.length === 0 ? null : Object.fromEntries(entries);
}
