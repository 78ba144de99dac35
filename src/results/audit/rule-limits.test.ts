import { expect, test } from 'vitest';
import { edgesOfCircumstances } from '../../../test/rule-edges/circumstances.ts';
import type { Case } from '../../../test/rule-edges/edge.ts';
import { edgesOfFigures } from '../../../test/rule-edges/figures.ts';
import { samplePoint } from '../../../test/sample-point.ts';
import type { Summary } from '../../core/index.ts';
import { pointRules } from './registry.ts';
import type { PointRule } from './rule.ts';

const edges = { ...edgesOfFigures, ...edgesOfCircumstances };
const rows = pointRules.map((rule: PointRule) => ({ rule, ...edges[rule.code]! }));

const speaks = (rule: PointRule, one: Case, hidden: string | null = null): boolean => {
  const [changes, context] = Array.isArray(one) ? one : [one, {}];
  const point = samplePoint(changes);
  return rule.check(hidden === null ? point : without(point, hidden), context) !== null;
};

/** The point with one figure unknown. */
function without(point: Summary, path: string): Summary {
  const hide = (from: unknown, [key, ...rest]: string[]): unknown => ({
    ...(from as object),
    [key!]: rest.length === 0 ? null : hide((from as Record<string, unknown>)[key!], rest),
  });
  return hide(point, path.split('.')) as Summary;
}

test('every rule of points has its row', () => {
  expect(Object.keys(edges).toSorted()).toEqual(pointRules.map(({ code }) => code).toSorted());
});

test('a rule speaks at its limit', () => {
  const mute = rows.flatMap(({ rule, says }) =>
    says.filter((one) => !speaks(rule, one)).map((one) => [rule.code, one]),
  );
  expect(mute).toEqual([]);
});

test('a rule says nothing before its limit', () => {
  const loud = rows.flatMap(({ rule, silent }) =>
    silent.filter((one) => speaks(rule, one)).map((one) => [rule.code, one]),
  );
  expect(loud).toEqual([]);
});

test('a rule says nothing where a figure that it needs is unknown', () => {
  const loud = rows.flatMap(({ rule, says, needs = [] }) =>
    needs.filter((hidden) => speaks(rule, says[0]!, hidden)).map((hidden) => `${rule.code} without ${hidden}`),
  );
  expect(loud).toEqual([]);
});
