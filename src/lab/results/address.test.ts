import { describe, expect, test } from 'vitest';
import { fixture, importText } from '../../../test/imported.ts';
import { UserError } from '../../core/index.ts';
import type { Sweep } from '../../core/index.ts';
import { addressOf, conditionsIn, pointIn, pointsAt } from './address.ts';

const sweeps = ['published/evalscope-mxc500.md', 'published/mindie-qwq-32b.md', 'published/vllm-sus-chat-34b.md']
  .flatMap((file) => importText(fixture(file)).sweeps)
  .map((sweep): Sweep => ({ ...sweep, schema: 'llmdyno.sweep/1', findings: [] }));
const named = (title: string): Sweep => sweeps.find((sweep) => sweep.title?.includes(title))!;
const numa = named('结果对比');

/** The points that a word after the sweep's id means. */
function meant(sweep: Sweep, inside: string): string[] {
  const word = `${sweep.id}${inside}`;
  return pointsAt(sweep, (conditionsIn(word) ?? pointIn(word))!).map(({ runId }) => runId.slice(-3));
}

/** What a word is refused with. */
function refused(sweep: Sweep, inside: string): string {
  try {
    meant(sweep, inside);
  } catch (error) {
    if (error instanceof UserError) return `${error.mistakes[0]!.message.en} ${error.mistakes[0]!.hint.en}`;
    throw error;
  }
  return '';
}

describe('addresses of points', () => {
  test('by dimensions, whatever their case, in any order', () => {
    expect(meant(numa, '[variant=numactl -N0 -m0]')).toEqual(['p02']);
    expect(meant(named('ATB'), '[requests=200, concurrency=10]')).toEqual(['p02']);
    expect(meant(named('ATB'), '[n=8792]')).toEqual(['p01']);
    expect(meant(named('V100'), '[Input=4000,output=500]')).toHaveLength(1);
  });
  test('several points that fit are all of them', () => {
    expect(meant(named('V100'), '[input=4000]')).toHaveLength(5);
  });
  test('by place, name and id', () => {
    expect(meant(numa, '/p02')).toEqual(['p02']);
    expect(meant(numa, '/2')).toEqual(['p02']);
    expect(meant(numa, '/numactl -N0 -m0')).toEqual(['p02']);
    expect(meant(numa, `/${numa.points[1]!.runId}`)).toEqual(['p02']);
    expect(meant(named('"maxPrefillBatchSize": 50'), '/#2')).toEqual(['p02']);
  });
  test('law: the address that is printed for a point means that point and no other', () => {
    for (const sweep of sweeps)
      for (const point of sweep.points) {
        const word = addressOf(sweep, point);
        expect(pointsAt(sweep, (conditionsIn(word) ?? pointIn(word))!)).toEqual([point]);
      }
  });
  test('what means nothing lists what there is', () => {
    expect(refused(numa, '[variant=B]')).toContain(`${numa.id}[variant=numactl -N0 -m0]`);
    expect(refused(numa, '[cards=4]')).toContain('They have: variant');
    expect(refused(numa, '/p09')).toContain('no point "p09"');
    expect(refused(named('V100'), '/input 100')).toContain('means 5 points');
  });
  test('brackets without conditions are refused with the way to write them', () => {
    expect(() => conditionsIn('numa[100]')).toThrow(UserError);
    expect(conditionsIn('numa')).toBeNull();
    expect(pointIn('numa')).toBeNull();
  });
});
