import { joined } from '../../../core/index.ts';
import type { FindLimit, Phrase, Searched, Summary, Sweep } from '../../../core/index.ts';
import { promiseWords } from './promise.ts';
import { speedInWords } from './run.ts';
import { countFigure, shortFigure } from './short-figure.ts';

/** What came of a search, with the points that it looked at. */
export interface FindResult extends Omit<Searched, 'looks'> {
  probes: readonly { value: number; kept: boolean; fresh: boolean; summary: Summary }[];
}

/** What the search behind a sweep concluded; null = it was none, or its points are gone. */
export function foundIn({ search, points }: Sweep): FindResult | null {
  if (search === undefined) return null;
  const { looks, ...concluded } = search;
  const probes = looks.flatMap(({ runId, ...look }) => {
    const summary = points.find((point) => point.runId === runId);
    return summary === undefined ? [] : [{ ...look, summary }];
  });
  return probes.length === 0 ? null : { ...concluded, probes };
}

/** A search as it is kept beside its points. */
export function searchedOf({ probes, ...concluded }: FindResult): Searched {
  return { ...concluded, looks: probes.map(({ summary, ...look }) => ({ runId: summary.runId, ...look })) };
}

/** The look that speaks for the answer: the last word has the one with fresh prompts. */
export function answerOf({ probes, value }: FindResult): Summary | null {
  const there = probes.filter((probe) => probe.value === value);
  return (there.find(({ fresh }) => fresh) ?? there[0])?.summary ?? null;
}

const units: Readonly<Record<FindResult['kind'], Phrase>> = {
  concurrency: { en: ' users at once', zh: ' 并发' },
  rate: { en: ' requests/s', zh: ' 请求/s' },
  lanes: { en: ' sessions at once', zh: ' 路会话' },
};

const limitNames: Readonly<Record<FindLimit, Phrase>> = {
  batch: { en: 'places in the batch: the rest waits for one', zh: '批的位置数：其余请求在排队' },
  kv: { en: 'the KV cache', zh: 'KV 缓存' },
  prefill: { en: 'prefill: prompts wait for their turn', zh: 'Prefill：提示词排队等待计算' },
  decode: { en: 'decode: each one more makes every token slower', zh: 'Decode：每增加一个请求，所有 Token 都变慢' },
  front: { en: "the server's own front (API process)", zh: '服务端前端（API 进程）' },
  client: { en: 'this client; more machines would load more (--workers)', zh: '压测端；可用更多机器（--workers）' },
  range: { en: 'the range that was searched', zh: '搜索范围的上限' },
  unknown: {
    en: "not known: the server's metrics would tell (--metrics URL)",
    zh: '未知：需要服务端指标（--metrics 地址）',
  },
};

/** A load as a number: whole where it is, else with at most four digits. */
export function loadFigure(value: number): string {
  return Number.isInteger(value) ? countFigure(value) : String(Number(value.toPrecision(4)));
}

/** A load with its unit: `102 users at once`. */
export function foundLoad(kind: FindResult['kind'], value: number): Phrase {
  const figure = loadFigure(value);
  const alone = kind === 'concurrency' && value === 1;
  return { en: alone ? 'one user alone' : `${figure}${units[kind].en}`, zh: `${figure}${units[kind].zh}` };
}

/** The answer in one line; where there is none, why, and the nearest promise that would hold. */
export function findInWords(found: FindResult): Phrase {
  if (found.value === null) {
    const broken = found.slo.find(({ kept }) => kept === false) ?? found.slo[0];
    const least = found.probes.toSorted((a, b) => a.value - b.value)[0];
    const at = least === undefined ? { en: 'the least load', zh: '最小负载' } : foundLoad(found.kind, least.value);
    if (broken === undefined) return { en: 'No load was measured.', zh: '没有测得任何负载点。' };
    const { promised, measured } = promiseWords(broken);
    return {
      en: `No load keeps ${promised.en}: ${at.en} ${measured === '–' ? 'gave no such figure' : `has ${measured}`}.`,
      zh: `没有负载能满足 ${promised.zh}：${at.zh}时为 ${measured}。`,
    };
  }
  const load = foundLoad(found.kind, found.value);
  const sure: Phrase = found.confirmed
    ? { en: 'confirmed with fresh prompts', zh: '已用新提示词复测确认' }
    : { en: 'NOT confirmed', zh: '未确认' };
  return {
    en: `${load.en} within ${found.slo.length === 1 ? 'the limit' : found.slo.length === 2 ? 'both limits' : `all ${found.slo.length} limits`}, ${sure.en}.`,
    zh: `满足全部要求的最大负载为${load.zh.startsWith(' ') ? '' : ' '}${load.zh}，${sure.zh}。`,
  };
}

/** How fast the server is at the answer, and what limits it; null = there is no answer. */
export function speedAndLimitInWords(found: FindResult): Phrase | null {
  const at = answerOf(found);
  const speed = at === null ? null : speedInWords(at);
  if (at === null || speed === null || speed.en === '') return null;
  const rate = at.requestsPerSec;
  // Only a server that showed no metrics is asked for them.
  const limit =
    found.limit === 'unknown' && at.server !== null ? { en: 'not known', zh: '未知' } : limitNames[found.limit];
  return {
    en: `That is ${speed.en}${rate === null ? '' : `; ${shortFigure(rate)} requests/s`}. What limits: ${limit.en}.`,
    zh: `此时${speed.zh}${rate === null ? '' : `；${shortFigure(rate)} 请求/s`}。瓶颈：${limit.zh}。`,
  };
}

/** How long a search took, and how often it looked. */
export function effortInWords({ durationMs, probes }: FindResult): Phrase {
  return {
    en: `${shortFigure(durationMs / 1000, 2)} s, ${probes.length} probes`,
    zh: `${shortFigure(durationMs / 1000, 2)} 秒，${probes.length} 次探测`,
  };
}

/** What spoilt a look at the answer, why the answer is no larger or no surer, and the command's words that give more. */
export function whyInWords(found: FindResult): Phrase | null {
  const says = [spoiltInWords(found), roomInWords(found)].filter((one) => one !== null);
  return says.length === 0 ? null : joined(says, ' ', '');
}

/** The promises were kept there all the same, but by figures that describe something else too. */
function spoiltInWords({ value, probes }: FindResult): Phrase | null {
  const findings = probes.flatMap((probe) => (probe.value === value ? probe.summary.verdict.findings : []));
  const spoilt = findings.find(({ severity }) => severity === 'invalid');
  if (spoilt === undefined) return null;
  return { en: `A look there is NOT VALID: ${spoilt.message}`, zh: `该处有一次探测无效：${spoilt.zh.message}` };
}

function roomInWords(found: FindResult): Phrase | null {
  const { value, confirmed, breaksAt, outOfRuns, limit, kind, probes } = found;
  if (value === null) return nearestPromise(found);
  const more = `--find-runs ${2 * Math.max(8, probes.length)}`;
  if (outOfRuns && breaksAt === null)
    return {
      en: `The runs were spent before any load broke a promise: ${more}.`,
      zh: `运行次数用完时尚未有负载未达标：请用 ${more}。`,
    };
  if (outOfRuns)
    return {
      en: `The runs were spent before the edge was known: ${more}.`,
      zh: `运行次数用完时边界尚未确定：请用 ${more}。`,
    };
  if (!confirmed) {
    const requests = Math.max(
      ...probes.filter((probe) => probe.value === value).map(({ summary }) => summary.counts.issued),
    );
    const longer = `-n ${Math.ceil((4 * requests) / 100) * 100}`;
    return {
      en: `Runs there keep the limits by less than they differ from each other: ${longer} tells more.`,
      zh: `该负载下的余量小于各次运行之间的差异：请用更长的探测（${longer}）。`,
    };
  }
  if (limit !== 'range') return null;
  const further = `--${kind === 'rate' ? 'rate' : kind === 'lanes' ? 'lanes' : 'concurrency'} ${loadFigure(value).replaceAll(',', '')},${Math.ceil(4 * value)}`;
  return {
    en: `It is the end of the range: more may be possible (${further}).`,
    zh: `已到范围上限：可能还可更大（${further}）。`,
  };
}

/** Where no load keeps what was promised: the promise nearest to it that the least load keeps, and what makes a server quicker. */
function nearestPromise({ slo }: FindResult): Phrase {
  const broken = slo.find(({ kept, measured }) => kept === false && measured !== null);
  const match = broken === undefined ? null : /^\s*([\w.]+)\s*(<=?)\s*[\d.]+\s*(ms|s|m|h)\s*$/.exec(broken.promise);
  const tune: Phrase = { en: 'a quicker server: dyno tune --init vllm', zh: '优化服务端：dyno tune --init vllm' };
  if (match === null) return { en: `Promise less, or find ${tune.en}.`, zh: `请放宽要求，或${tune.zh}。` };
  const [, name, op, unit] = match as unknown as [string, string, string, keyof typeof msPerUnit];
  // A tenth more than what was measured, in two digits, so that the next run keeps it too.
  const limit = Number(((1.1 * broken!.measured!) / msPerUnit[unit]).toPrecision(2));
  const nearest = `--slo '${name}${op}${limit}${unit}'`;
  return { en: `It would keep ${nearest}; for ${tune.en}.`, zh: `可满足 ${nearest}；或${tune.zh}。` };
}

const msPerUnit = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;
