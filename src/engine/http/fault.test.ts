import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../core/index.ts';
import { checkFaults, faultDice, faultNames, parseFault } from './fault.ts';

function mistakeOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof UserError) return `${error.mistakes[0]!.code} ${error.mistakes[0]!.hint.en}`;
    throw error;
  }
  return 'none';
}

describe('parseFault', () => {
  it.each([
    ['reset:0.01', { name: 'reset', probability: 0.01 }],
    ['429:2%', { name: '429', probability: 0.02 }],
    ['slow-start:1', { name: 'slow-start', probability: 1 }],
    ['stream-error:1e-3', { name: 'stream-error', probability: 0.001 }],
  ])('reads %s', (text, fault) => {
    expect(parseFault(text)).toEqual(fault);
  });

  it.each(['reset', 'reset:', 'reset:2', 'reset:-1', 'reset:0.1:3', 'reset:abc', 'reset:101%'])(
    'refuses %s',
    (text) => {
      expect(mistakeOf(() => parseFault(text))).toMatch(/^bad-fault/);
    },
  );

  it('lists the names when one is unknown', () => {
    const said = mistakeOf(() => parseFault('gremlin:0.1'));
    expect(said).toMatch(/^unknown-fault/);
    for (const name of faultNames) expect(said).toContain(name);
  });

  it('faults that together pass 1 are a mistake', () => {
    const faults = [parseFault('reset:0.6'), parseFault('500:0.5')];
    expect(mistakeOf(() => checkFaults(faults))).toMatch(/^fault-sum/);
    expect(mistakeOf(() => checkFaults([parseFault('reset:50%'), parseFault('500:50%')]))).toBe('none');
  });
});

describe('faultDice', () => {
  it('hands out each fault to its share of the requests, the same ones under the same seed', () => {
    const faults = [parseFault('reset:0.1'), parseFault('500:0.3')];
    const draw = (seed: number) => {
      const roll = faultDice(faults, seed);
      return Array.from({ length: 10_000 }, () => roll()?.name ?? 'none');
    };
    const drawn = draw(4);
    const share = (name: string) => drawn.filter((one) => one === name).length / 10_000;
    // Binomial standard deviations: 0.003 and 0.0046; four of them are allowed.
    expect(Math.abs(share('reset') - 0.1)).toBeLessThan(0.012);
    expect(Math.abs(share('500') - 0.3)).toBeLessThan(0.0184);
    expect(draw(4)).toEqual(drawn);
  });

  it('certain faults always come, impossible ones never', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        expect(faultDice([{ name: 'html', probability: 1 }], seed)()?.name).toBe('html');
        expect(faultDice([{ name: 'html', probability: 0 }], seed)()).toBeNull();
      }),
      { seed: 31 },
    );
  });
});
