import { userError } from '../../core/index.ts';

/** One side of a grid of lengths. */
export interface GridSide {
  side: 'input' | 'output';
  lengths: number[];
}

/** `input=100,500,1000`. */
export function readGridSide(text: string): GridSide {
  const match = /^\s*(input|output)\s*=\s*(\d+(?:\s*,\s*\d+)*)\s*$/.exec(text);
  const lengths = match?.[2]?.split(',').map(Number) ?? [];
  if (match !== null && lengths.every((length) => length >= 1 && length <= 10_000_000)) {
    return { side: match[1] === 'input' ? 'input' : 'output', lengths };
  }
  throw userError(
    'bad-value',
    `"${text}" is no side of a grid`,
    `"${text}" 不是有效的网格`,
    'Write --grid input=100,500,1000 output=100,500.',
    '请写 --grid input=100,500,1000 output=100,500。',
  );
}
