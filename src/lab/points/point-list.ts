import type { RunPlan } from '../../core/index.ts';
import type { LabPoint, MeasuredPoint } from '../measure-point.ts';
import type { PointSource } from '../point-loop.ts';
import { loadPoints } from '../prepare/assemble-plan.ts';
import type { PlanSettings } from '../prepare/assemble-plan.ts';
import { planPoint, sliceLength } from '../prepare/prepare.ts';
import type { OpenPrompts, Prepared, ServerWords } from '../prepare/prepare.ts';
import type { RunnerSource } from '../runners/runner-source.ts';
import type { SweepSettings } from '../settings/plan-settings.ts';
import { gridCells, lengthSettings, preparedByCell, sweepPoints } from './grid.ts';
import type { SweepPoint } from './grid.ts';

/** Points that the settings alone do not say, each made when it is its turn. */
export interface OwnPoints extends PointSource<LabPoint, MeasuredPoint> {
  /** Points differ in their lengths. */
  isGrid: boolean;
}

/** Points that are known before the first is measured. */
export interface PointList extends OwnPoints {
  points: readonly LabPoint[];
}

/** Points in a row. */
export function listOf(points: readonly LabPoint[], isGrid = false): PointList {
  return { points, isGrid, next: (done) => points[done.length] ?? null };
}

/** Every load, in every cell of the grid, as often as asked: all opened, looked at and planned before the first request of the first. */
export async function sweepList(
  settings: ServerWords & SweepSettings,
  runners: RunnerSource,
  open?: OpenPrompts,
): Promise<PointList> {
  const cells = gridCells(settings.grid ?? [], settings);
  const isGrid = cells.length > 0;
  const points = sweepPoints(loadPoints(settings), cells, settings.repeat ?? 1);
  const samePrompts = settings.samePrompts === true;
  const first = { ...settings, ...lengthSettings(cells[0] ?? null) };
  const prepared = await runners.prepare(first, samePrompts || isGrid ? 1 : points.length, open);
  const byCell = isGrid ? await preparedByCell(prepared, withPromptsOf(prepared, first), points) : null;
  const planned: LabPoint[] = [];
  let offset = 0;
  for (const point of points) {
    const own = (point.cell !== undefined && byCell?.get(point.cell)) || prepared;
    const plan = planPoint(own, point, offset);
    planned.push({ prepared: own, plan, name: nameOf(point, plan, points.length) });
    // Unless points ask the same prompts, each takes the slice behind the one before.
    if (!samePrompts) offset += await sliceLength(own, point, offset);
  }
  return listOf(planned, isGrid);
}

/** Every cell asks prompts of the seed that was drawn for the first. */
function withPromptsOf({ settings: { promptSeed } }: Prepared, settings: PlanSettings): PlanSettings {
  return promptSeed === undefined ? settings : { ...settings, promptSeed };
}

function nameOf({ cell, ratePerSec, concurrency }: SweepPoint, { target }: RunPlan, of: number): LabPoint['name'] {
  if (cell !== undefined)
    return { en: `input ${cell.input}, output ${cell.output}`, zh: `输入 ${cell.input}，输出 ${cell.output}` };
  if (of === 1) return { en: target.model, zh: target.model };
  return ratePerSec === null
    ? { en: `concurrency ${concurrency}`, zh: `并发 ${concurrency}` }
    : { en: `rate ${ratePerSec}/s`, zh: `速率 ${ratePerSec}/s` };
}
