import { closedRun } from './closed-run.ts';
import type { ExplainedFigure } from './explained-figures.ts';
import type { FitPoint } from './fit-point.ts';
import { loadsOf } from './sweep-loads.ts';
import type { SweepModel } from './sweep-model.ts';

/** One engine of a grid: what a sequence costs relative to the step's a, and where the batch ends. */
export interface GridEngine {
  model: SweepModel;
  /** c/a. */
  ratio: number;
  limit: number;
  /** Width of its cell in log c/a times its share of the family's limits: how likely it is before any point is seen. */
  prior: number;
}

/** Engines of one family around each other, and what a log would print of them where a = 1 ms. */
export interface EngineGrid {
  engines: GridEngine[];
  /** For each engine the logarithms of the figures at a point. */
  logsAt(point: FitPoint): number[][];
}

/** Where a grid lies, and how many of its engines are simulated along each side. */
export interface GridRange {
  ratios: readonly [number, number];
  limits: readonly [number, number] | null;
  nodes: { ratios: number; limits: number };
  /** Orders of the answers to average over: who comes last decides how long a run drains, and no log tells it. */
  orders: number;
}

/** Engines between two simulated ones, along each side; their figures are straight between them in logarithms. */
const between = 4;

/**
 * A grid of engines. All times of an engine without jitter are proportional to a, so that a needs no side of its own: it is found
 * in closed form for each engine.
 */
export function engineGrid(
  model: SweepModel,
  lowest: FitPoint,
  range: GridRange,
  figures: readonly ExplainedFigure[],
): EngineGrid {
  const ratios = spread(range.ratios, range.nodes.ratios);
  const limits = range.limits === null ? [1] : spread(range.limits, range.nodes.limits);
  const fineRatios = refined(ratios);
  const fineLimits = refined(limits);
  const width = logWidth(range.ratios) / fineRatios.length;
  // The share of all the limits of the family that falls on one of these.
  const limitWidth = range.limits === null ? 1 : logWidth(range.limits) / fineLimits.length;
  const all = model.limits === null ? 1 : logWidth(model.limits) * meanLikelihood(model, model.limits);
  const engines = fineLimits.flatMap((limit) =>
    fineRatios.map((ratio) => ({
      model,
      ratio: ratio.value,
      limit: limit.value,
      prior: (model.share * width * limitWidth * model.likelihood(limit.value)) / all,
    })),
  );
  return {
    engines,
    logsAt(point) {
      const loads = Array.from({ length: range.orders }, (_, i) => loadsOf([lowest, point], i + 1)[1]!);
      const table = limits.map((limit) =>
        ratios.map((ratio) => logsOf(model.profile(1, ratio, limit), loads, figures)),
      );
      return fineLimits.flatMap((limit) =>
        fineRatios.map((ratio) =>
          figures.map((_, k) => {
            const at = (row: number): number => mix(ratio, (column) => table[row]![column]![k]!);
            return mix(limit, at);
          }),
        ),
      );
    },
  };
}

function logsOf(
  profile: Parameters<typeof closedRun>[0],
  loads: readonly Parameters<typeof closedRun>[1][],
  figures: readonly ExplainedFigure[],
): number[] {
  const runs = loads.map((load) => closedRun(profile, load));
  return figures.map(({ predicted }) => runs.reduce((sum, run) => sum + Math.log(predicted(run)), 0) / runs.length);
}

interface FineNode {
  value: number;
  /** The simulated node at or before it, and how far it is on the way to the next. */
  node: number;
  part: number;
}

function refined(nodes: readonly number[]): FineNode[] {
  return nodes.flatMap((value, node) => {
    const next = nodes[node + 1];
    if (next === undefined) return [{ value, node, part: 0 }];
    return Array.from({ length: between }, (_, i) => {
      const part = i / between;
      return { value: value * (next / value) ** part, node, part };
    });
  });
}

function mix({ node, part }: FineNode, at: (node: number) => number): number {
  return part === 0 ? at(node) : (1 - part) * at(node) + part * at(node + 1);
}

function logWidth([low, high]: readonly [number, number]): number {
  return Math.log(high / low);
}

function meanLikelihood(model: SweepModel, limits: readonly [number, number]): number {
  const looked = spread(limits, 64);
  return looked.reduce((sum, limit) => sum + model.likelihood(limit), 0) / looked.length;
}

function spread([low, high]: readonly [number, number], count: number): number[] {
  return Array.from({ length: count }, (_, i) => low * (high / low) ** (i / (count - 1)));
}
