import type { Phrase } from '../../../core/index.ts';
import type { EngineProfile, FittedDoubt, FittedReach } from '../../../engine/sim/index.ts';
import type { AskedLoad } from './play-run.ts';
import { playRun } from './play-run.ts';
import { beyond, inFlightOf } from './reach.ts';
import { figureNames, figuresOf, meanOf } from './run-figures.ts';
import type { FigureName, Figures } from './run-figures.ts';
import { wideWords } from './wide-figures.ts';

/** A figure with where 90 % of measurements of it should lie. */
export interface PredictedFigure {
  value: number;
  interval: [number, number];
}

/** What a load would come to. */
export interface RunPrediction {
  /** null = it hangs on a constant that the runs did not tell. */
  figures: Record<FigureName, PredictedFigure | null>;
  /** Why to trust it less. */
  warnings: Phrase[];
}

/** Two runs of the same load differ by about so much: no model knows better. */
const leastError: Record<FigureName, number> = {
  outputTokensPerSec: 0.01,
  ttftMeanMs: 0.05,
  ttftP50Ms: 0.1,
  ttftP99Ms: 0.06,
  tpotMeanMs: 0.02,
  tpotP99Ms: 0.03,
  latencyP50Ms: 0.02,
  latencyP99Ms: 0.03,
};
/** A fit whose own runs are this far off, in figures that hardly scatter, explains something wrongly. */
const unexplained = 0.1;
const steadyFigures: readonly FigureName[] = ['outputTokensPerSec', 'tpotMeanMs', 'latencyP50Ms'];
/** An open load whose first tokens are later by more than this where 5 % more comes is near what the server takes. */
const mostSteep = 0.2;
/** A front with more of a backlog than this is what everybody waits for at times. */
const fullFront = 1;

/** A server that was fitted, and what is known of how well. */
export interface FittedServer {
  profile: EngineProfile;
  reach: FittedReach;
  doubt: FittedDoubt;
}

/** Predicts a load with the server that was fitted. */
export function predictRun(fit: FittedServer, load: AskedLoad): RunPrediction {
  const errorOf = (name: FigureName): number => fit.doubt.errors[name] ?? 0;
  const played = playRun(fit.profile, load, { gaps: false });
  const value = figuresOf(played);
  const others = fit.doubt.others.map((own, i) =>
    figuresOf(playRun({ ...fit.profile, ...own }, load, { seed: i + 2, gaps: false })),
  );
  const warnings = beyond(fit.reach, load, inFlightOf(played));
  const full = (played.frontBacklogRatio ?? 0) >= fullFront;
  if (full) {
    warnings.push({
      en: 'the front is full at times, and its pace changes by itself: a range, not a point',
      zh: '前端时常满载，其速度自行波动：给出区间而非单点',
    });
  }
  const worst = steadyFigures.reduce((most, name) => (errorOf(name) > errorOf(most) ? name : most));
  if (errorOf(worst) > unexplained) {
    const percent = Math.round(100 * errorOf(worst));
    warnings.push({
      en: `the fitted runs themselves come out ${percent} % off (${worst}): this server does something that the model has not`,
      zh: `参与拟合的运行自身误差已达 ${percent}%（${worst}）：该服务器有模型未包含的行为`,
    });
  }
  const steep = load.concurrency === null ? steepness(fit.profile, load, value.ttftMeanMs) : 0;
  if (steep > mostSteep) {
    const percent = Math.round(100 * steep);
    warnings.push({
      en: `close to what the server takes: 5 % more would make first tokens ${percent} % later`,
      zh: `接近服务器上限：负载再增 5%，首 token 时间将增加 ${percent}%`,
    });
  }
  const hidden = !fit.doubt.p1Known && otherPrompts(fit, load);
  if (hidden) {
    warnings.push({
      en: 'p1 not identified: first tokens of prompts of other lengths are not predicted',
      zh: 'p1 无法确定：不预测其他长度提示词的首 token 时间',
    });
  }
  const figure = (name: FigureName): PredictedFigure | null =>
    hidden && name.startsWith('ttft') ? null : spreadOf(name, value[name], others, errorOf(name));
  const figures = Object.fromEntries(figureNames.map((name) => [name, figure(name)])) as RunPrediction['figures'];
  const widths = figureNames.flatMap((name) =>
    figures[name] === null ? [] : [{ name, factor: Math.exp(1.645 * scatterOf(name, value[name], others)) }],
  );
  const wide = wideWords(widths, fit.profile, fit.doubt.others, (server) =>
    figuresOf(playRun({ ...fit.profile, ...server }, load, { gaps: false })),
  );
  return { figures, warnings: wide === null ? warnings : [...warnings, wide] };
}

/** By how much first tokens would be later if all requests came 5 % sooner. */
function steepness(profile: EngineProfile, load: AskedLoad, ttftMeanMs: number): number {
  const requests = load.requests.map((request) => ({ ...request, sentMs: request.sentMs / 1.05 }));
  return figuresOf(playRun(profile, { ...load, requests }, { gaps: false })).ttftMeanMs / ttftMeanMs - 1;
}

function otherPrompts({ reach }: FittedServer, { requests }: AskedLoad): boolean {
  const [least, most] = reach.promptTokens;
  return requests.some(({ promptTokens }) => promptTokens < least / 1.25 || promptTokens > most * 1.25);
}

/** How far the servers that explain the runs lie from the predicted one, as a standard deviation of the logarithm. */
function scatterOf(name: FigureName, value: number, others: readonly Figures[]): number {
  return Math.sqrt(meanOf(others.map((other) => Math.log(other[name] / value) ** 2)));
}

function spreadOf(name: FigureName, value: number, others: readonly Figures[], error: number): PredictedFigure {
  const factor = Math.exp(1.645 * Math.hypot(scatterOf(name, value, others), Math.max(error, leastError[name])));
  return { value, interval: [value / factor, value * factor] };
}
