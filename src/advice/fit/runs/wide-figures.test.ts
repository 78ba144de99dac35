// Which figures are told as ranges, and the constants that are named for it, on a server of three constants.
import { describe, expect, it } from 'vitest';
import type { EngineProfile } from '../../../engine/sim/index.ts';
import { figureNames } from './run-figures.ts';
import type { Figures } from './run-figures.ts';
import { wideWords } from './wide-figures.ts';

type Server = Pick<EngineProfile, 'cost' | 'overheadMs' | 'launch'>;

const server = (aMs: number, launchMs: number, overheadMs: number): Server => ({
  cost: { aMs, cMsPerDecode: 0, p1MsPerPrefillToken: 0, kMsPer1000KvTokens: 0 },
  launch: { ms: launchMs },
  overheadMs,
});
/** First tokens take a launch, other things nothing that the constants say. */
const play = ({ launch }: Server): Figures => ({
  ...(Object.fromEntries(figureNames.map((name) => [name, 10])) as unknown as Figures),
  ttftMeanMs: launch!.ms,
});
const others = [server(10, 40, 2), server(10, 10, 2.02)];

describe('figures that are known as ranges', () => {
  it('are named with the factor, and with the constant that the runs leave open', () => {
    const widths = [
      { name: 'tpotMeanMs', factor: 1.1 },
      { name: 'ttftMeanMs', factor: 3.13 },
    ] as const;
    expect(wideWords(widths, server(10, 20, 2), others, play)?.en).toBe(
      'ranges, not points (up to × 3.1): ttftMeanMs; the fitted runs tell too little of launch.ms',
    );
  });

  it('name no constant where none makes up the width', () => {
    const widths = [{ name: 'ttftP50Ms', factor: 1.5 }] as const;
    expect(wideWords(widths, server(10, 20, 2), others, play)?.en).toBe(
      'ranges, not points (up to × 1.5): ttftP50Ms; small differences of the server change who waits for whom',
    );
  });

  it('are none where every interval is narrow', () => {
    expect(wideWords([{ name: 'ttftMeanMs', factor: 1.3 }], server(10, 20, 2), others, play)).toBeNull();
  });
});
