import { userError } from '../../core/index.ts';
import type { LoadPoint, PlanSettings } from '../prepare/assemble-plan.ts';
import { checkFit } from '../prepare/check-fit.ts';
import { openWords, promptsNeeded } from '../prepare/prepare.ts';
import type { Prepared } from '../prepare/prepare.ts';
import type { GridSide } from '../settings/grid-setting.ts';

/** One pair of lengths; null = that side is not part of the grid. */
export interface GridCell {
  input: number | null;
  output: number | null;
}

/** One point of a sweep: a load, and the lengths where there is a grid of them. */
export interface SweepPoint extends LoadPoint {
  cell?: GridCell;
}

/** Every pair of the grid's lengths, input by input; none for no grid. */
export function gridCells(sides: readonly GridSide[], settings: PlanSettings): GridCell[] {
  if (sides.length === 0) return [];
  const lengthsOf = (side: GridSide['side']): number[] =>
    sides.filter((one) => one.side === side).flatMap((one) => one.lengths);
  const [inputs, outputs] = [lengthsOf('input'), lengthsOf('output')];
  if (
    (inputs.length > 0 && settings.inputTokens !== undefined) ||
    (outputs.length > 0 && settings.outputTokens !== undefined)
  ) {
    throw userError(
      'settings-disagree',
      'the same length is given twice',
      '同一长度给出了两次',
      'Leave --input-tokens and --output-tokens out where the grid says them.',
      '网格已给出的长度请勿再写 --input-tokens、--output-tokens。',
      '--grid',
    );
  }
  return (inputs.length > 0 ? inputs : [null]).flatMap((input) =>
    (outputs.length > 0 ? outputs : [null]).map((output): GridCell => ({ input, output })),
  );
}

/** Every load in every cell of the grid, each so many times, in the order they are measured. */
export function sweepPoints(loads: readonly LoadPoint[], cells: readonly GridCell[], repeats: number): SweepPoint[] {
  const each = loads.flatMap((load) =>
    cells.length === 0 ? [load] : cells.map((cell): SweepPoint => ({ ...load, cell })),
  );
  return each.flatMap((point) => Array.from({ length: repeats }, () => point));
}

/** The lengths of a cell as settings of a plan. */
export function lengthSettings(cell: GridCell | null): Pick<PlanSettings, 'inputTokens' | 'outputTokens'> {
  return {
    ...(cell?.input != null && { inputTokens: { law: 'fixed', tokens: cell.input } }),
    ...(cell?.output != null && { outputTokens: { law: 'fixed', tokens: cell.output } }),
  };
}

/** The dataset of every cell, opened and checked. */
export async function preparedByCell(
  prepared: Prepared,
  settings: PlanSettings,
  points: readonly SweepPoint[],
): Promise<Map<GridCell, Prepared>> {
  const byCell = new Map<GridCell, Prepared>();
  for (const { cell } of points) {
    if (cell === undefined || byCell.has(cell)) continue;
    const opened = await openWords({ ...settings, ...lengthSettings(cell) }, 1);
    const own = { ...prepared, ...opened };
    await checkFit(own, promptsNeeded(own.settings, 1));
    byCell.set(cell, own);
  }
  return byCell;
}
