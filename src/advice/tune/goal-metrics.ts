import { mistake, UserError } from '../../core/index.ts';
import type { Figures, Mistake, Summary } from '../../core/index.ts';
import { checkSlo, metricOf, parseSlo } from '../../results/measure/index.ts';
import type { Slo, Statistic } from '../../results/measure/index.ts';

/** What is to be made as large (or small) as possible. */
export interface Objective {
  /** Metric word: `outputTokensPerSec`, `goodput`, `requestsPerSec`, `costPerMillionTokens`, `ttft.mean` … */
  word: string;
  direction: 'most' | 'least';
  /** Price of the machine, for costs. */
  pricePerHour: number | null;
}

const secondsPerHour = 3600;

/** The word of an SLO's figure: `ttft.p99`, `failed`. */
export function sloWord(slo: Slo): string {
  const isTime = slo.unit === 'ms';
  if (!isTime) return slo.metric;
  return `${slo.metric}.${slo.statistic ?? (slo.op.startsWith('<') ? 'max' : 'min')}`;
}

/** Residence times that a steady window must span before it is believed over the whole run. */
const leastResidences = 2;

/** The summary with the figures of its steady window in place, where that window is long enough to stand for the run. */
export function steadySummary(summary: Summary): Summary {
  const { steady } = summary;
  const latencyMs = summary.latencyMs?.mean ?? null;
  if (steady === null || latencyMs === null || steady.outputTokensPerSec === null) return summary;
  if (steady.toMs - steady.fromMs < leastResidences * latencyMs) return summary;
  const kept: Partial<Record<keyof Figures, unknown>> = {};
  for (const key of figureKeys) if (steady[key] !== null) kept[key] = steady[key];
  return { ...summary, ...(kept as Partial<Figures>) };
}

const figureKeys = [
  'requestsPerSec',
  'inputTokensPerSec',
  'outputTokensPerSec',
  'totalTokensPerSec',
  'latencyMs',
  'ttftMs',
  'tpotMs',
  'itlMs',
] as const satisfies readonly (keyof Figures)[];

/** The objective's figure in a summary; null = the summary does not know it. */
export function objectiveOf(objective: Objective, summary: Summary): number | null {
  if (objective.word === 'costPerMillionTokens') {
    const perSec = summary.outputTokensPerSec;
    if (perSec === null || perSec <= 0 || objective.pricePerHour === null) return null;
    return (objective.pricePerHour * 1e6) / (perSec * secondsPerHour);
  }
  const [metric, statistic] = objective.word.split('.') as [Slo['metric'], Statistic?];
  return withFallback(metric, statistic ?? 'mean', summary);
}

/** The figure that an SLO is about; the mean gap and the mean time per output token stand in for each other. */
export function sloFigure(slo: Slo, summary: Summary): number | null {
  const { value } = checkSlo(slo, summary);
  if (value !== null || slo.statistic !== 'mean') return value;
  return withFallback(slo.metric, 'mean', summary);
}

function withFallback(metric: Slo['metric'], statistic: Statistic, summary: Summary): number | null {
  const value = metricOf(summary, metric, statistic);
  if (value !== null || statistic !== 'mean') return value;
  if (metric === 'itl') return metricOf(summary, 'tpot', 'mean');
  return metric === 'tpot' ? metricOf(summary, 'itl', 'mean') : null;
}

/** Every figure that a search looks at: the objective, each SLO, and what a reader wants beside them. */
export function figuresOf(objective: Objective, slos: readonly Slo[], raw: Summary): Record<string, number | null> {
  const summary = steadySummary(raw);
  const figures: Record<string, number | null> = {
    outputTokensPerSec: summary.outputTokensPerSec,
    requestsPerSec: summary.requestsPerSec,
    'ttft.mean': metricOf(summary, 'ttft', 'mean'),
    'tpot.mean': metricOf(summary, 'tpot', 'mean'),
    'itl.mean': metricOf(summary, 'itl', 'mean'),
    'latency.mean': metricOf(summary, 'latency', 'mean'),
    failed: metricOf(summary, 'failed', 'mean'),
    [objective.word]: objectiveOf(objective, summary),
  };
  for (const slo of slos) figures[sloWord(slo)] = sloFigure(slo, summary);
  return figures;
}

const order: readonly Statistic[] = ['min', 'p50', 'p66', 'p75', 'p80', 'p90', 'p95', 'p98', 'p99', 'max'];

/** Reads SLOs and refuses those that no run could meet together. */
export function readSlos(texts: readonly string[]): { slos: Slo[]; mistakes: Mistake[] } {
  const slos: Slo[] = [];
  const mistakes: Mistake[] = [];
  for (const text of texts) {
    try {
      slos.push(parseSlo(text));
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      mistakes.push(...error.mistakes);
    }
  }
  for (const over of slos.filter((slo) => slo.op.startsWith('>'))) {
    const under = slos.find((slo) => slo.op.startsWith('<') && excludes(over, slo));
    if (under !== undefined)
      mistakes.push(
        mistake(
          'slos-contradict',
          `"${over.text}" and "${under.text}" cannot both hold`,
          `"${over.text}" 与 "${under.text}" 不可能同时满足`,
          'Take one of them out, or turn its sign round.',
          '请去掉其中一条，或改变不等号方向。',
          { field: 'slo' },
        ),
      );
  }
  return { slos, mistakes };
}

function excludes(over: Slo, under: Slo): boolean {
  if (over.metric !== under.metric || over.unit !== under.unit || over.limit < under.limit) return false;
  const [low, high] = [over.statistic ?? 'min', under.statistic ?? 'max'];
  if (over.unit !== 'ms' || low === high) return true;
  if (low === 'mean' || high === 'mean') return low === 'min' || high === 'max';
  return order.indexOf(low) <= order.indexOf(high);
}
