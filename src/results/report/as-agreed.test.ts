import { crc32 } from 'node:zlib';
import { cellsOf } from '../../core/index.ts';
import { expect, test } from 'vitest';
import { madeGrid, madeMachines } from '../../../test/laws/chart-matrix.ts';
import { bare, comparisons, found, full, ladder, long, nights, steady } from '../../../test/report-book.ts';
import { samplePoint } from '../../../test/sample-point.ts';
import {
  comparisonIn,
  comparisonScreen,
  efficiencyText,
  findScreen,
  frontierMarkdown,
  frontierText,
  ownReporters,
  runScreen,
  searchedOf,
  sweepFigure,
  sweepScreen,
  trendScreen,
  xlsx,
} from './index.ts';
import { comparisonHtml } from './comparison-report.ts';
import { htmlReport } from './html/html-report.ts';
import type { Painter } from './index.ts';

// The model writes less than it was asked for, and the last cell was measured twice.
const cells = madeGrid(2, 3).points.map((point, i) =>
  samplePoint({ ...point, lengthsAsked: { input: String(100 + (i % 2)), output: String(64 * (1 + (i >> 1))) } }),
);
const grid = { ...madeGrid(2, 3), points: [...cells, { ...cells[5]!, runId: 'again', outputTokensPerSec: 900 }] };
/** Of which the last loads break a promise, one has no promise, and each has a doubt of its own. */
const broken = {
  ...ladder,
  points: ladder.points.map((point, i) => ({
    ...point,
    partial: i === 1,
    slo: [{ promise: 'ttft.p99<350ms', measured: point.ttftMs!.p99!, kept: i === 0 ? null : point.ttftMs!.p99! < 350 }],
    verdict: {
      valid: i !== 4,
      findings: full.verdict.findings.map((one) => ({
        ...one,
        code: `${one.code}-${i}`,
        message: `Of ${i}. ${one.message}`,
      })),
    },
  })),
};
const tokenless = ladder.points
  .slice(0, 2)
  .map((point) => ({ ...point, outputTokensPerSec: null, tpotMs: null, slo: [] }));
const nothing = [2.5, 5].map((ratePerSec) => ({
  ...bare,
  runId: String(ratePerSec),
  load: { ...bare.load, ratePerSec },
}));
const simulatedProbes = found.probes.map((probe) => ({ ...probe, summary: { ...probe.summary, simulated: true } }));
const unsure = {
  ...found,
  kind: 'rate',
  value: 2.5,
  confirmed: false,
  breaksAt: null,
  outOfRuns: true,
  limit: 'range',
} as const;
const mild = {
  ...full,
  verdict: { valid: true, findings: full.verdict.findings.filter(({ severity }) => severity === 'info') },
};
const short = { ...ladder, points: ladder.points.slice(2, 4) };
/** Says how a line is emphasised, in front of it. */
const marking: Painter = {
  strong: (text) => `‹strong›${text}`,
  good: (text) => `‹good›${text}`,
  warn: (text) => `‹warn›${text}`,
  bad: (text) => `‹bad›${text}`,
  faint: (text) => `‹faint›${text}`,
};
const golden = '../../../test/fixtures/report';
const slower = { ...nights, name: '', points: nights.points.map((point) => ({ ...point, startedAt: null })) };

test.each([
  ['en', 132],
  ['zh', 80],
] as const)('every first screen reads as agreed: %s, %s columns', async (lang, columns) => {
  const options = { lang, columns, paint: marking, url: 'http://127.0.0.1:8000', kept: 'a b' };
  const pages = {
    'a run': runScreen(full, options),
    'a steady run': runScreen(steady, { ...options, kept: 'c', store: "it's" }),
    'a run of nothing': runScreen(bare, { lang, columns }),
    'a ladder': sweepScreen(ladder, options),
    'a ladder that breaks its promise': sweepScreen(broken, options),
    'a long ladder': sweepScreen(long, options),
    'a grid': sweepScreen(grid, options),
    'a search': findScreen(found, options),
    'a search in vain': findScreen({ ...found, value: null, confirmed: false, limit: 'unknown' }, options),
    'a search that is not sure': findScreen(unsure, options),
    'a search of simulated runs': findScreen({ ...found, probes: simulatedProbes }, options),
    'a ladder with its search': sweepScreen({ ...ladder, search: searchedOf(found) }, options),
    'a ladder of nothing': sweepScreen({ ...ladder, points: nothing }, options),
    'a ladder without tokens': sweepScreen({ ...ladder, points: tokenless }, options),
    'runs that cannot be compared': comparisonScreen(
      { ...comparisons['pair']!, comparable: false, metrics: [] },
      options,
    ),
    'two runs': comparisonScreen(comparisons['pair']!, options),
    'three runs': comparisonScreen(comparisons['three']!, options),
    'two ladders': comparisonScreen(comparisons['ladders']!, options),
    nights: trendScreen([nights, slower], 'ttft.p99', options),
  };
  await expect(told(pages)).toMatchFileSnapshot(`${golden}/screens.${columns}.golden.txt`);
  for (const line of Object.values(pages).join('\n').split('\n'))
    expect(cellsOf(line.replaceAll(/‹\w+›/g, '')), line).toBeLessThanOrEqual(columns);
});

test('a first screen of a narrow terminal breaks its sentences, cuts names, and says how many doubts it left out', async () => {
  const options = { lang: 'en', columns: 44, kept: 'a b' } as const;
  const doubted = {
    ...broken,
    points: broken.points.map((point) => ({
      ...point,
      verdict: {
        ...point.verdict,
        findings: ['x', 'y', 'z'].flatMap((letter) =>
          point.verdict.findings.map((one) => ({
            ...one,
            code: `${one.code}-${letter}`,
            message: `${letter} ${one.message}`,
          })),
        ),
      },
    })),
  };
  const pages = {
    'a run': runScreen(full, options),
    'a ladder': sweepScreen(ladder, options),
    'a ladder in a wide terminal that has more doubts than room': sweepScreen(doubted, { ...options, columns: 90 }),
    'a ladder with more doubts than room': sweepScreen(doubted, options),
    'a run with more doubts than room': runScreen({ ...full, verdict: doubted.points[0]!.verdict }, options),
    'a search': findScreen(found, options),
    'two runs': comparisonScreen(comparisons['pair']!, options),
    'two ladders': comparisonScreen(comparisons['ladders']!, options),
    'two ladders, wider': comparisonScreen(comparisons['ladders']!, { ...options, columns: 55 }),
    nights: trendScreen([nights], 'ttft.p99', { ...options, columns: 14 }),
  };
  await expect(told(pages)).toMatchFileSnapshot(`${golden}/screens.44.golden.txt`);
});

test.each(['en', 'zh'] as const)('every text reads as agreed: %s', async (lang) => {
  const options = { lang, machineOf: madeMachines };
  const sweeps = [ladder, long];
  const pages: Record<string, string> = {};
  // Forms for programs are the same in every language.
  for (const form of lang === 'en'
    ? (['text', 'markdown', 'csv', 'junit'] as const)
    : (['text', 'markdown'] as const)) {
    pages[`${form} of a run`] = ownReporters[form](full, options);
    pages[`${form} of runs`] = ownReporters[form]({ ...ladder, points: [bare, steady] }, options);
    pages[`${form} of a grid`] = ownReporters[form](grid, options);
    pages[`${form} of two ladders`] = ownReporters[form]([short, { ...short, title: 'b' }], options);
    pages[`${form} of a search`] = ownReporters[form]({ ...short, search: searchedOf(found) }, options);
    pages[`${form} of nothing`] = ownReporters[form]({ ...ladder, points: nothing }, options);
    for (const [name, comparison] of Object.entries(comparisons))
      pages[`${form} of ${name} compared`] = comparisonIn(form, comparison, [], options);
  }
  pages['the frontier'] = frontierText(sweeps, madeMachines, options) + frontierMarkdown(sweeps, madeMachines, options);
  pages['efficiency'] = efficiencyText(sweeps, () => ({ pricePerHour: 12, cards: 2, powerW: 700 }), options);
  await expect(told(pages)).toMatchFileSnapshot(`${golden}/forms.${lang}.golden.txt`);
});

test('the page reads as agreed', async () => {
  const page = htmlReport({
    title: 'night <1>',
    // Findings in the order opposite to the one that they are told in.
    sweeps: [ladder, { ...ladder, id: 'runs', title: 'runs', points: [mild, full, bare, steady] }],
    figures: [sweepFigure(ladder)],
    comparison: comparisons['pair']!,
    more: [{ id: 'compared', title: { en: 'Compared', zh: '对比' }, body: comparisonHtml(comparisons['three']!) }],
    environment: [[{ en: 'host', zh: '主机' }, 'a & b']],
    repeat: { command: 'dyno run', plan: { seed: 1 } },
    lang: 'en',
    script: { code: 'draw()', sha256: 'abc' },
    by: 'llmdyno',
  });
  const inTags = page
    .replace(/<style>.*?<\/style>/s, '')
    .replaceAll(/<(?=p|li|tr|h\d|section|dt|figure|script)/g, '\n<');
  await expect(inTags).toMatchFileSnapshot(`${golden}/page.golden.txt`);
});

/** The files of an archive without compression, read by the directory at its end; each must have the check sum that it names. */
function unpacked(archive: Uint8Array): [string, string][] {
  const bytes = Buffer.from(archive);
  const end = bytes.length - 22;
  expect([bytes.readUInt32LE(end), bytes.readUInt16LE(end + 8)]).toEqual([0x06054b50, bytes.readUInt16LE(end + 10)]);
  const files: [string, string][] = [];
  let at = bytes.readUInt32LE(end + 16);
  expect(at + bytes.readUInt32LE(end + 12)).toBe(end);
  for (let n = bytes.readUInt16LE(end + 10); n > 0; n--) {
    const local = bytes.readUInt32LE(at + 42);
    const [size, letters] = [bytes.readUInt32LE(at + 24), bytes.readUInt16LE(at + 28)];
    expect([bytes.readUInt32LE(at), bytes.readUInt32LE(local)]).toEqual([0x02014b50, 0x04034b50]);
    // What both headers say is the same, and nothing is packed, signed, or of another day than the first.
    const said = bytes.subarray(at + 6, at + 32);
    expect(bytes.subarray(local + 4, local + 30)).toEqual(said);
    expect([said.readUInt16LE(0), said.readUInt32LE(2), said.readUInt32LE(6)]).toEqual([20, 0, 0x21 << 16]);
    const from = local + 30 + letters + said.readUInt16LE(24);
    const file = bytes.subarray(from, from + size);
    expect([said.readUInt32LE(10), said.readUInt32LE(14)]).toEqual([crc32(file), size]);
    files.push([bytes.toString('utf8', at + 46, at + 46 + letters), file.toString('utf8')]);
    at += 46 + letters;
  }
  expect(at).toBe(end);
  return files;
}

test('a spreadsheet is an archive that unpacks, whose parts read as agreed', async () => {
  const points = [ladder.points[0]!, { ...full, load: { ...full.load, concurrency: 41 } }, bare];
  const files = unpacked(xlsx({ ...ladder, points }, { lang: 'en' }, comparisons['pair']!));
  const pages = Object.fromEntries(files.map(([name, xml]) => [name, xml.replaceAll('><', '>\n<')]));
  const shown = Object.entries(pages).filter(([name]) => !/sheet[34]\.xml|chart[2-9]\.xml/.test(name));
  await expect(told(Object.fromEntries(shown))).toMatchFileSnapshot(`${golden}/spreadsheet.golden.txt`);
});

function told(pages: Readonly<Record<string, string>>): string {
  return Object.entries(pages)
    .map(([name, page]) => `# ${name}\n${page}`)
    .join('\n');
}
