import { describe, expect, test } from 'vitest';
import { auditPoints } from '../../src/results/audit/index.ts';
import { percentileRanks, randomStream } from '../../src/core/index.ts';
import type { RandomStream, Summary } from '../../src/core/index.ts';
import type { Imported } from '../../src/tools/index.ts';
import { fixture, importText } from '../imported.ts';

const long = process.env['LLMDYNO_LONG'] === '1';
const wild = long ? 50_000 : 1500;
const damaged = long ? 50_000 : 1500;

/** Log blocks as they stand in documents, one text each. */
const blocks = [
  'published/evalscope-atlas-800i-a2.md',
  'published/evalscope-mxc500.md',
  'published/mindie-qwq-32b.md',
  'published/vllm-sus-chat-34b.md',
]
  .flatMap((name) => [...fixture(name).matchAll(/```\w*\n([\s\S]*?)```/g)].map((match) => match[1]!))
  .flatMap((text) =>
    text.includes('chunk_size')
      ? text.split(/(?=.*chunk_size: )/).filter((part) => part.includes('n-request'))
      : [text],
  )
  .concat(fixture('sglang/console.log'), fixture('evalscope/console.log'));

const strange = [
  'NaN',
  'inf',
  '-Infinity',
  '1e308',
  '1e-308',
  '-5',
  '9'.repeat(400),
  '',
  '0x1F',
  '1.2.3',
  '１２',
  '__proto__',
  'constructor',
  '<img src=x onerror=alert(1)>',
  '\u0000',
  '\u001b[2J',
  '../../etc/passwd',
  '|',
  '```',
  '# ',
  'Benchmarking summary:',
  '============ Serving Benchmark Result ============',
  'The BenchMark test performance metric result is:',
];

/** A block with one to four random injuries of any kind. */
function injured(text: string, chance: RandomStream): string {
  let out = text;
  for (let n = 1 + chance.below(4); n > 0; n--) {
    const at = chance.below(out.length + 1);
    const lines = out.split('\n');
    const row = chance.below(lines.length);
    switch (chance.below(8)) {
      case 0:
        out = out.slice(0, at) + String.fromCharCode(32 + chance.below(95)) + out.slice(at + 1);
        break;
      case 1:
        out = out.slice(0, at) + out.slice(at + 1 + chance.below(5));
        break;
      case 2:
        out = out.slice(0, at) + strange[chance.below(strange.length)]! + out.slice(at);
        break;
      case 3:
        out = lines.toSpliced(row, 1).join('\n');
        break;
      case 4:
        out = lines.toSpliced(chance.below(lines.length), 0, lines[row]!).join('\n');
        break;
      case 5:
        out = out.slice(0, at);
        break;
      case 6:
        out = out.replace(/\d+\.\d+/, strange[chance.below(strange.length)]!);
        break;
      default:
        out = lines.with(row, lines[chance.below(lines.length)]!).join('\n');
    }
  }
  return out;
}

/** Every figure of a summary that a reader could take for a measurement. */
function figuresOf(point: Summary): (number | null)[] {
  const { counts } = point;
  const spreads = [
    point.latencyMs,
    point.ttftMs,
    point.tpotMs,
    point.itlMs,
    point.inputTokens,
    point.outputTokens,
    point.userTokensPerSec,
  ];
  return [
    counts.planned,
    counts.ok,
    counts.failed,
    counts.unaccounted,
    point.durationMs,
    point.requestsPerSec,
    point.outputTokensPerSec,
    point.load.concurrency,
    ...spreads.flatMap((spread) =>
      spread === null
        ? []
        : [spread.mean, spread.min, spread.max, ...percentileRanks.map((rank) => spread[`p${rank}`])],
    ),
  ];
}

function audits(imported: Imported): string[] {
  return imported.sweeps.flatMap((sweep) =>
    auditPoints(sweep.points).points.flatMap((point) =>
      point.findings.filter((finding) => finding.severity !== 'info').map((finding) => finding.code),
    ),
  );
}

describe(`${wild} blocks with random injuries`, () => {
  test('are read without a crash, and every figure is a number from 0 to 1e18 or null', { timeout: 600_000 }, () => {
    const chance = randomStream(20261115, 'injuries');
    for (let n = 0; n < wild; n++) {
      const imported = importText(injured(blocks[chance.below(blocks.length)]!, chance));
      audits(imported);
      for (const point of imported.sweeps.flatMap((sweep) => sweep.points)) {
        for (const figure of figuresOf(point)) {
          if (figure !== null && !(figure >= 0 && figure <= 1e18))
            expect.unreachable(`figure ${figure} in ${JSON.stringify(point.printed)}`);
        }
      }
    }
  });
});

/** Figures that an identity or a second mention of the same block covers. */
const covered: [block: RegExp, line: RegExp][] = [
  [
    /Benchmarking summary/,
    /^ (?:Time taken for tests|Expected number of requests|Total requests|Succeed requests|Failed requests|Average QPS|Average latency|Throughput\(|Average time to first token|Average output tokens|Average time per output token|Average package per request|Average package latency|\s+p\d\d)/,
  ],
  [
    /Serving Benchmark Result/,
    /^(?:Successful requests|Benchmark duration|Total input tokens|Total generated tokens:|Request throughput|Output token throughput|Total Token throughput)/,
  ],
  [
    /chunk_size/,
    /(?:duration|completion-tokens\/second|total completion tokens|completion tokens per request|n-request|QPS): /,
  ],
  [
    /Common Metric/,
    /^\|\s+(?:TimeElapsed|Failed|Returned|Total|lpct|Throughput|GenerateSpeed|GenerateSpeedPerClient|CharactersPerToken) \|/,
  ],
];

/** One digit of a covered figure changed, lost or added, so that the figure moves by more than its neighbours' rounding. */
function oneDigit(text: string, chance: RandomStream): string | null {
  const [, wanted] = covered.find(([block]) => block.test(text))!;
  const lines = text.split('\n');
  const rows = lines.flatMap((line, i) => (wanted.test(line) ? [i] : []));
  const row = rows[chance.below(rows.length)]!;
  const line = lines[row]!;
  const numbers = [...line.matchAll(/\d+(?:\.\d+)?/g)];
  // The last number of a label line is its value; in a box the first after the name is.
  const number = line.startsWith('|') ? numbers[0]! : numbers.at(-1)!;
  const digits = number[0];
  const at = chance.below(digits.length);
  if (digits[at] === '.') return null;
  const other = String((Number(digits[at]) + 1 + chance.below(9)) % 10);
  const changed = [
    digits.slice(0, at) + other + digits.slice(at + 1),
    digits.slice(0, at) + digits.slice(at + 1),
    digits.slice(0, at) + other + digits.slice(at),
  ][chance.below(3)]!;
  if (changed === '' || changed === '.' || Math.abs(Number(changed) - Number(digits)) <= 0.005 * Number(digits))
    return null;
  return lines.with(row, line.slice(0, number.index) + changed + line.slice(number.index + digits.length)).join('\n');
}

describe(`${damaged} blocks with one damaged digit in a covered figure`, () => {
  test(
    'never pass for the original: the damage is a problem, a new finding, or a figure that is gone',
    { timeout: 600_000 },
    () => {
      const chance = randomStream(20261115, 'one digit');
      const sound = blocks
        .filter((text) => !text.includes('│') && covered.some(([block]) => block.test(text)))
        .map((text) => ({ text, imported: importText(text) }))
        .filter(
          ({ imported }) =>
            imported.sweeps.length === 1 &&
            auditPoints(imported.sweeps[0]!.points).points.every((point) => point.status === 'clean'),
        )
        .map(({ text, imported }) => ({
          text,
          codes: audits(imported).toSorted().join(),
          figures: Object.keys(imported.sweeps[0]!.points[0]!.printed).length,
        }));
      expect(sound.length).toBeGreaterThan(30);
      let tried = 0;
      while (tried < damaged) {
        const { text, codes, figures } = sound[chance.below(sound.length)]!;
        const changed = oneDigit(text, chance);
        if (changed === null) continue;
        tried++;
        const imported = importText(changed);
        const [point] = imported.sweeps.flatMap((sweep) => sweep.points);
        const noticed =
          point === undefined ||
          imported.problems.length > 0 ||
          Object.keys(point.printed).length < figures ||
          audits(imported).toSorted().join() !== codes;
        if (!noticed)
          expect.unreachable(
            `silent damage: ${text.split('\n').find((line, i) => line !== changed.split('\n')[i])} → ${changed.split('\n').find((line, i) => line !== text.split('\n')[i])}`,
          );
      }
    },
  );
});
