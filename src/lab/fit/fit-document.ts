import { say } from '../../core/index.ts';
import type { Lang, Summary } from '../../core/index.ts';
import { fitSweep, heldOutOf, interpolationOf, usablePoints } from '../../advice/fit/index.ts';
import type {
  ExcludedPoint,
  HeldOut,
  NextMeasurement,
  SweepFit,
  SweepFitOptions,
  TraceFit,
} from '../../advice/fit/index.ts';
import type { EngineProfile } from '../../engine/sim/index.ts';

/** One fitted sweep or trace as `llmdyno.fit/1` holds it. */
export interface FittedEntry {
  id: string;
  title: string;
  profile: EngineProfile;
  maxBatchSize: number | null;
  maxBatchSizeFrom: 'given' | 'plateau' | 'seen' | 'not-reached';
  limit: string;
  used: number[];
  excluded: { concurrency: number | null; why: string }[];
  intervals: Record<string, [number, number]>;
  residual: number | null;
  heldOut: HeldOut | { metrics: TraceFit['metrics'] } | null;
  interpolation: HeldOut | null;
  /** What several runs together do not tell, and the run that would. */
  unknown?: { constant: string; why: string; run: string }[];
  /** Of a probed server: the sweep of the store that keeps the probes. */
  kept?: string;
  /** Of a probed server: first tokens of prompts that were asked for the first time, and again; null = not seen. */
  repeated?: { promptTokens: number; freshMs: number; againMs: number; cachedShare: number | null } | null;
  /** null = not asked for. */
  next: { concurrency: number; inputTokens?: number; outputTokens?: number; why: string } | null;
}

/** What could not be fitted, and why. */
export interface NotFitted {
  id: string;
  title: string;
  why: string;
}

/** `--json` of dyno fit. */
export interface FitDocument {
  schema: 'llmdyno.fit/1';
  sweeps: FittedEntry[];
  skipped: NotFitted[];
}

/** What a fit of a sweep is told besides its points. */
export interface SweepAsk extends SweepFitOptions {
  holdOut: boolean;
  /** Most prompt tokens of a step, where the server or its log said so. */
  maxPrefillTokens: number | null;
  next: boolean;
  date: string;
  lang: Lang;
}

/** Fits one sweep; without --hold-out every usable point is fitted unless points were named. */
export function fitOneSweep(
  id: string,
  title: string,
  points: readonly Summary[],
  ask: SweepAsk,
): FittedEntry | NotFitted {
  const { lang } = ask;
  const usable = usablePoints(points);
  if (usable.points.length < 3) {
    const why = say(
      {
        en: `${usable.points.length} usable points at different concurrencies; a fit needs three`,
        zh: `不同并发的可用点只有 ${usable.points.length} 个，拟合需要三个`,
      },
      lang,
    );
    return { id, title, why: [why, ...new Set(usable.excluded.map((point) => whyOf(point, lang)))].join('; ') };
  }
  const all = usable.points.map((point) => String(point.concurrency));
  const words = ask.points.length > 0 ? ask.points : ask.holdOut ? ['auto'] : all;
  const fit = fitSweep(usable.points, { ...ask, points: words });
  const heldOut = fit.heldOut.length > 0 ? heldOutOf(fit) : null;
  return {
    id,
    title,
    profile: named(fit, title, points, heldOut, ask.date),
    maxBatchSize: fit.maxBatchSize,
    maxBatchSizeFrom: ask.maxBatchSize !== null ? 'given' : fit.maxBatchSize === null ? 'not-reached' : 'plateau',
    limit: fit.limit,
    used: fit.used.map((point) => point.concurrency),
    excluded: usable.excluded.map((point) => ({ concurrency: point.concurrency, why: say(point.why, lang) })),
    intervals: fit.intervals,
    residual: fit.residual,
    heldOut,
    interpolation: fit.heldOut.length > 0 ? interpolationOf(fit) : null,
    next: ask.next ? nextOf(fit, lang) : null,
  };
}

function whyOf(point: ExcludedPoint, lang: Lang): string {
  return `${point.concurrency ?? '?'}: ${say(point.why, lang)}`;
}

function named(
  fit: SweepFit,
  title: string,
  points: readonly Summary[],
  heldOut: HeldOut | null,
  date: string,
): EngineProfile {
  const model = points.find((point) => point.model !== null)?.model ?? title;
  const remarks = [...new Set(fit.used.flatMap((point) => point.remarks.map((remark) => remark.en)))];
  return {
    ...fit.profile,
    name: nameOf(title),
    title: title.slice(0, 200) || 'fitted',
    model: nameOf(model),
    source: `dyno fit: ${points[0]?.source.tool ?? 'unknown'} sweep "${title.slice(0, 200)}"`,
    date,
    fit: {
      fittedTo: `concurrency ${fit.used.map((point) => point.concurrency).join(', ')}`,
      heldOutError:
        heldOut === null
          ? null
          : Object.fromEntries(
              Object.entries(heldOut).flatMap(([key, value]) =>
                'mape' in value && value.mape !== null ? [[key, value.mape]] : [],
              ),
            ),
      intervals: fit.intervals,
    },
    notes: [
      'Fitted from aggregate figures: aMs, cMsPerDecode and the limit. p1 is half of c per prompt; k is inside c.',
      'The parameters are the mean of the engines that explain the points; heldOutError is that of the average of their predictions.',
      ...remarks,
    ],
  };
}

/** A kebab-case name out of a title. */
export function nameOf(title: string): string {
  const name = title
    .toLowerCase()
    .replaceAll(/[^a-z0-9.]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  return name.slice(0, 80) || 'fitted';
}

/** The next measurement as the document tells it. */
export function nextMeasured({ why, ...measurement }: NextMeasurement, lang: Lang): FittedEntry['next'] {
  return { ...measurement, why: say(why, lang) };
}

/** The concurrency between or beyond the measured ones whose prediction is the least certain. */
function nextOf(fit: SweepFit, lang: Lang): FittedEntry['next'] {
  const known = [...fit.used, ...fit.heldOut].toSorted((a, b) => a.concurrency - b.concurrency);
  const highest = known.at(-1)!;
  const candidates = known.flatMap((point, i) => {
    const after = known[i + 1];
    return after === undefined ? [] : [Math.round(Math.sqrt(point.concurrency * after.concurrency))];
  });
  if (fit.limit === 'none') candidates.push(highest.concurrency * 2);
  const widths = candidates.map((concurrency) => {
    const { outputTokensPerSec } = fit.predict({ ...highest, concurrency });
    return { concurrency, ratio: outputTokensPerSec.interval[1] / outputTokensPerSec.interval[0] };
  });
  const widest = widths.reduce((first, next) => (next.ratio > first.ratio ? next : first));
  const percent = (50 * (widest.ratio - 1)).toFixed(1);
  const why =
    fit.limit === 'none' && widest.concurrency > highest.concurrency
      ? { en: `the sweep never saturated; ±${percent} % there`, zh: `扫描未达到饱和；该处 ±${percent} %` }
      : { en: `the least certain prediction: ±${percent} %`, zh: `预测最不确定：±${percent} %` };
  return { concurrency: widest.concurrency, why: say(why, lang) };
}
