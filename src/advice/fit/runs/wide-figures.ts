import type { Phrase } from '../../../core/index.ts';
import type { EngineProfile } from '../../../engine/sim/index.ts';
import { meanOf } from './run-figures.ts';
import type { FigureName, Figures } from './run-figures.ts';

/** The parts of a profile that a fit finds. */
type Found = Pick<EngineProfile, 'cost' | 'overheadMs' | 'launch' | 'front'>;

/** A figure and the factor within which nine in ten of the servers that explain the runs have it. */
export interface Width {
  name: FigureName;
  factor: number;
}

/** Figures with more than this factor are told as ranges. */
const widestFactor = 1.35;
/** So many of the constants that a figure hangs on are named, each of which makes up at least this share of its width. */
const mostNamed = 2;
const worthNaming = 0.3;

/**
 * Says which figures are known as ranges only, and the constants that the widest of them hangs on: each in turn is moved up and down
 * by as much as the servers that explain the runs differ in it, and `play` tells what the load comes to then. Null = none is that wide.
 */
export function wideWords(
  widths: readonly Width[],
  server: Found,
  others: readonly Found[],
  play: (server: Found) => Figures,
): Phrase | null {
  const wide = widths.filter(({ factor }) => factor > widestFactor).toSorted((a, b) => b.factor - a.factor);
  const [first] = wide;
  if (first === undefined) return null;
  const moves = constantsOf(server)
    .map(({ name, value, at }) => {
      const away = Math.exp(
        Math.sqrt(meanOf(others.map((other) => Math.log((valueOf(other, name) ?? value) / value) ** 2))),
      );
      if (away === 1) return { name, by: 0 };
      const [up, down] = [play(at(value * away)), play(at(value / away))];
      return { name, by: Math.abs(Math.log(up[first.name] / down[first.name])) / 2 };
    })
    .toSorted((a, b) => b.by - a.by);
  const enough = (worthNaming * Math.log(first.factor)) / 1.645;
  const named = moves.slice(0, mostNamed).flatMap(({ name, by }) => (by >= enough ? [name] : []));
  const names = wide.map(({ name }) => name).join(', ');
  const factor = first.factor.toFixed(1);
  return named.length === 0
    ? {
        en: `ranges, not points (up to × ${factor}): ${names}; small differences of the server change who waits for whom`,
        zh: `只能给出区间而非单点（最多 × ${factor}）：${names}；服务器的微小差异会改变请求间的等待关系`,
      }
    : {
        en: `ranges, not points (up to × ${factor}): ${names}; the fitted runs tell too little of ${named.join(' and ')}`,
        zh: `只能给出区间而非单点（最多 × ${factor}）：${names}；参与拟合的运行不足以确定 ${named.join('、')}`,
      };
}

interface Constant {
  /** As a profile has it. */
  name: string;
  value: number;
  /** The server with another value. */
  at(value: number): Found;
}

function constantsOf(server: Found): Constant[] {
  const inParts = (['cost', 'launch', 'front'] as const).flatMap((part) =>
    Object.entries(server[part] ?? {}).flatMap(([key, value]): Constant[] =>
      typeof value === 'number' && value > 0
        ? [
            {
              name: `${part}.${key}`,
              value,
              at: (other) => ({ ...server, [part]: { ...server[part], [key]: other } }),
            },
          ]
        : [],
    ),
  );
  const { overheadMs = 0 } = server;
  if (overheadMs === 0) return inParts;
  return [...inParts, { name: 'overheadMs', value: overheadMs, at: (other) => ({ ...server, overheadMs: other }) }];
}

function valueOf(server: Found, name: string): number | undefined {
  return constantsOf(server).find((constant) => constant.name === name)?.value;
}
