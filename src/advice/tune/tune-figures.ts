import type { Phrase } from '../../core/index.ts';
import { axisTitle } from '../../results/report/index.ts';
import type { ChartPoint, Figure } from '../../results/report/index.ts';
import { pointWords } from './paragraph.ts';
import type { TuneDocument } from './tune-document.ts';

type TuneTrial = TuneDocument['trials'][number];

/** The objective trial by trial, what kept the SLOs and what did not, and the best so far. */
export function trialsFigure(tune: TuneDocument): Figure {
  const done = tune.trials.filter((trial) => trial.objective !== null);
  const kept = done.filter(({ feasible }) => feasible === true);
  const broke = done.filter(({ feasible }) => feasible !== true);
  const better = (a: number, b: number): number =>
    tune.objective.direction === 'most' ? Math.max(a, b) : Math.min(a, b);
  let best: number | null = null;
  const steps = done.flatMap((trial): ChartPoint[] => {
    if (trial.feasible === true) best = best === null ? trial.objective : better(best, trial.objective!);
    return best === null ? [] : [{ x: trial.number, y: best }];
  });
  const expected = done.flatMap((trial): ChartPoint[] => {
    const told = trial.predicted?.figures[tune.objective.metric];
    return told === undefined ? [] : [{ x: trial.number, y: told.middle }];
  });
  return {
    id: 'tune-trials',
    title: tune.name ?? { en: 'Trials', zh: '试验过程' },
    about: {
      en: `${axisTitle(tune.objective.metric).en} of ${tune.trials.length} trials, those that kept the SLOs, those that did not, what was expected, and the best so far.`,
      zh: `${tune.trials.length} 次试验的${axisTitle(tune.objective.metric).zh}：满足与不满足 SLO 的试验、预测值以及当前最优。`,
    },
    columns: 1,
    panels: [
      {
        kind: 'lines',
        title: axisTitle(tune.objective.metric),
        x: { name: { en: 'trial', zh: '试验序号' }, from: 0, whole: true },
        y: { name: axisTitle(tune.objective.metric) },
        series: [
          { name: { en: 'kept the SLOs', zh: '满足 SLO' }, kind: 'dots', points: kept.map(dot) },
          { name: { en: 'broke an SLO', zh: '违反 SLO' }, kind: 'dots', points: broke.map(dot) },
          { name: { en: 'expected', zh: '预测' }, kind: 'dots', points: expected },
          { name: { en: 'best so far', zh: '当前最优' }, kind: 'steps', points: steps },
        ].filter(({ points }) => points.length > 0) as never,
      },
    ],
    notes: failuresOf(tune),
  };
}

function dot({ number, objective }: TuneTrial): ChartPoint {
  return { x: number, y: objective };
}

/** The objective against each limited figure. */
export function paretoOfTune(tune: TuneDocument): Figure | null {
  const words = [...new Set(tune.slos.map((slo) => /^\s*([A-Za-z]+(?:\.[A-Za-z0-9]+)?)/.exec(slo)?.[1] ?? ''))];
  const shown = words.filter((word) => /^(ttft|tpot|itl|latency)\./.test(word));
  if (shown.length === 0) shown.push('latency.mean');
  const panels = shown.flatMap((word) => {
    const points = tune.trials
      .filter((trial) => trial.objective !== null && trial.figures[word] != null)
      .map((trial): ChartPoint => ({ x: trial.figures[word]!, y: trial.objective, label: String(trial.number) }));
    if (points.length === 0) return [];
    return [
      {
        kind: 'lines' as const,
        title: against(tune.objective.metric, word),
        x: { name: axisTitle(word) },
        y: { name: axisTitle(tune.objective.metric) },
        series: [{ name: { en: 'trials', zh: '试验' }, kind: 'dots' as const, points }],
      },
    ];
  });
  if (panels.length === 0) return null;
  return {
    id: 'tune-pareto',
    title: { en: 'Throughput against latency', zh: '吞吐与延迟' },
    about: {
      en: `Each trial by what it gave and what it cost, numbered; ${tune.slos.join(', ')}.`,
      zh: `各次试验的收益与代价（标注序号）；${tune.slos.join('、')}。`,
    },
    columns: panels.length,
    panels,
    notes: [],
  };
}

function against(y: string, x: string): Phrase {
  return { en: `${axisTitle(y).en} / ${axisTitle(x).en}`, zh: `${axisTitle(y).zh} / ${axisTitle(x).zh}` };
}

function failuresOf({ trials }: TuneDocument): Figure['notes'] {
  return trials
    .filter(({ outcome }) => outcome !== 'ok')
    .slice(0, 6)
    .map(({ number, outcome, settings, load }) => `${number}: ${outcome} (${pointWords(settings, load)})`);
}
