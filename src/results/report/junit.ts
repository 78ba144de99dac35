import { printable } from '../../core/index.ts';
import type { Summary, Sweep } from '../../core/index.ts';
import { promisesKept } from '../measure/index.ts';
import { escapeXml } from './chart/svg.ts';
import { simulationNotes } from './chart/sweep-figures.ts';
import { asSweep, pointName, sweepName } from './point-name.ts';
import { isComparison } from './reported.ts';
import type { Reporter } from './reported.ts';
import { promiseWords } from './sentence/promise.ts';

/** One thing that is tested. */
export interface Case {
  name: string;
  className: string;
  seconds: number;
  /** null = passed. */
  failure: { type: string; message: string } | null;
  skipped: string | null;
}

interface Suite {
  name: string;
  /** What must be known before a case is read, in the place where JUnit has room for it. */
  properties: readonly (readonly [string, string])[];
  cases: readonly Case[];
}

/** JUnit XML for CI: a suite per sweep; a case per point for its validity, and one for each SLO of its plan. */
export const junit: Reporter = (what) => {
  const sweeps = isComparison(what) ? what : [what.schema === 'llmdyno.sweep/1' ? what : asSweep(what)];
  return junitOf(
    sweeps.map((sweep) => ({
      name: sweepName(sweep),
      properties: propertiesOf(sweep),
      cases: sweep.points.flatMap((point) => casesOf(sweep, point)),
    })),
  );
};

/** The document of some suites. */
export function junitOf(suites: readonly Suite[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="llmdyno">\n${suites.map(suiteText).join('')}</testsuites>\n`;
}

function suiteText({ name, properties, cases }: Suite): string {
  const failures = cases.filter((one) => one.failure !== null).length;
  const skipped = cases.filter((one) => one.skipped !== null).length;
  const head = `  <testsuite name="${attribute(name)}" tests="${cases.length}" failures="${failures}" errors="0" skipped="${skipped}">\n`;
  const lines = properties.map(([key, value]) => `      <property name="${key}" value="${attribute(value)}"/>\n`);
  const known = lines.length === 0 ? '' : `    <properties>\n${lines.join('')}    </properties>\n`;
  return `${head}${known}${cases.map(caseText).join('')}  </testsuite>\n`;
}

function propertiesOf({ points }: Sweep): (readonly [string, string])[] {
  return [
    ...simulationNotes(points).map((note) => ['simulated', note.en] as const),
    ...(points.some(({ partial }) => partial) ? [['partial', 'a run did not end by itself'] as const] : []),
  ];
}

function casesOf(sweep: Sweep, point: Summary): Case[] {
  const name = pointName(sweep, point);
  const invalid = point.verdict.findings.filter(({ severity }) => severity === 'invalid');
  const shared = { className: sweepName(sweep), seconds: (point.durationMs ?? 0) / 1000 };
  const valid: Case = {
    ...shared,
    name: `${name}: valid`,
    failure:
      invalid.length === 0
        ? null
        : { type: invalid[0]!.code, message: invalid.map(({ message }) => message).join(' ') },
    skipped: null,
  };
  // Records of before know their promises by their goodput alone.
  const kept = point.slo ?? promisesKept(point, point.goodput?.slo ?? []);
  const promises = kept.map((one): Case => {
    const { line } = promiseWords(one);
    return {
      ...shared,
      name: `${name}: ${one.promise}`,
      failure: one.kept === false ? { type: 'slo', message: line.en } : null,
      skipped: one.kept === null ? 'not known' : null,
    };
  });
  return [valid, ...promises];
}

function caseText({ name, className, seconds, failure, skipped }: Case): string {
  const head = `    <testcase classname="${attribute(className)}" name="${attribute(name)}" time="${seconds.toFixed(3)}"`;
  if (failure !== null)
    return `${head}>\n      <failure type="${attribute(failure.type)}" message="${attribute(failure.message)}"/>\n    </testcase>\n`;
  return skipped === null
    ? `${head}/>\n`
    : `${head}>\n      <skipped message="${attribute(skipped)}"/>\n    </testcase>\n`;
}

function attribute(value: string): string {
  return escapeXml(printable(value));
}
