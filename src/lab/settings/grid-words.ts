import { BadValue } from './setting.ts';

/** One side of a grid of lengths. */
export interface GridSide {
  side: 'input' | 'output';
  lengths: number[];
}

/** `input=100,500,1000`. */
export function gridWord(text: string): GridSide {
  const match = /^\s*(input|output)\s*=\s*(\d+(?:\s*,\s*\d+)*)\s*$/.exec(text);
  const lengths = match?.[2]?.split(',').map(Number) ?? [];
  if (match !== null && lengths.every((length) => length >= 1 && length <= 10_000_000)) {
    return { side: match[1] === 'input' ? 'input' : 'output', lengths };
  }
  throw new BadValue(
    { en: `"${text}" is no side of a grid`, zh: `"${text}" 不是有效的网格` },
    { en: 'Write --grid input=100,500,1000 output=100,500.', zh: '请写 --grid input=100,500,1000 output=100,500。' },
  );
}
