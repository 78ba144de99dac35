import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Device } from './device.ts';
import { readDevices } from './read-devices.ts';

const folder = join(import.meta.dirname, '../../../../test/fixtures/hardware-devices');
const fixture = (name: string): string => readFileSync(join(folder, name), 'utf8');

const boxed = [
  'npu-smi-910b3.txt',
  'npu-smi-a3.txt',
  'npu-smi-26.txt',
  'npu-smi-310p.txt',
  'mx-smi-2.1.6.txt',
  'mx-smi-2.2.4.txt',
  'mx-smi-2.2.8.txt',
  'mx-smi-2.3.1.txt',
  'hl-smi.txt',
  'cnmon-v5.txt',
  'ixsmi.txt',
  'nvidia-h200-table.txt',
];
const others = [
  'nvidia-h200-query.csv',
  'nvidia-h200-topo.txt',
  'npu-smi-usages.txt',
  'npu-smi-board.txt',
  'npu-smi-watch-26.txt',
  'mx-smi-dmon.csv',
  'mx-smi-dmon-hbm.csv',
  'mx-smi-topo.txt',
  'hl-smi-query.csv',
  'hl-smi-query-header.csv',
  'ixsmi-query.csv',
  'hy-smi.txt',
  'rocm-smi.json',
  'amd-smi.json',
  'hy-smi-bw.json',
  'hy-smi-lenient.json',
  'nvidia-topo.txt',
];
/** A line is all that speaks of a card. */
const lineEach = new Set([
  'nvidia-h200-query.csv',
  'hl-smi-query.csv',
  'hl-smi-query-header.csv',
  'ixsmi-query.csv',
  'mx-smi-dmon.csv',
  'mx-smi-dmon-hbm.csv',
  'npu-smi-watch-26.txt',
]);
const figures = [
  'index',
  'memoryTotalBytes',
  'memoryUsedBytes',
  'memoryUsedRatio',
  'utilizationRatio',
  'powerW',
  'powerLimitW',
  'temperatureC',
  'numaNode',
] as const satisfies readonly (keyof Device)[];

const key = (device: Device): string => device.busId ?? device.uuid ?? `${device.card}/${device.chip}/${device.index}`;

/**
 * Law: every figure of every card is the true one or null; where one was lost, a warning says so. A whole card may go
 * without a word where each has a line of its own: nothing else speaks of it.
 */
function neverWrong(original: string, mutated: string, cardMayVanish = false): void {
  const truth = readDevices(original);
  const read = readDevices(mutated);
  const byKey = new Map(truth.devices.map((device) => [key(device), device]));
  let lost = !cardMayVanish && read.devices.length < truth.devices.length;
  for (const device of read.devices) {
    const real =
      byKey.get(key(device)) ??
      truth.devices.find((one) => one.index === device.index && one.index !== null) ??
      truth.devices.find((one) => figures.every((figure) => device[figure] === null || device[figure] === one[figure]));
    for (const figure of figures) {
      if (device[figure] === null) lost ||= figure !== 'numaNode' && real?.[figure] != null;
      else expect([figure, device[figure]]).toEqual([figure, real?.[figure]]);
    }
  }
  if (lost) expect(read.warnings.length).toBeGreaterThan(0);
}

/** Many more behind LLMDYNO_LONG. */
const times = process.env['LLMDYNO_LONG'] === '1' ? 40 : 1;
const runs = { numRuns: 150 * times };
const any = fc.constantFrom(...boxed, ...others);
const someBoxed = fc.constantFrom(...boxed);

describe('outputs that were damaged give right values or null with a warning', { timeout: 600_000 }, () => {
  test('cut off anywhere', () => {
    fc.assert(
      fc.property(any, fc.nat(), (name, at) => {
        const text = fixture(name);
        const cut = text.slice(0, at % text.length);
        // Cut exactly behind a rule, or a line where each card has its own, it is a smaller table that lacks nothing.
        const closed = /(?:^|\n)[|+][-=+|]{20,}\n*$/.test(cut);
        neverWrong(text, cut, closed || (lineEach.has(name) && cut.endsWith('\n')));
      }),
      { numRuns: 1000 * times },
    );
  });

  test('a line is missing', () => {
    fc.assert(
      fc.property(any, fc.nat(), (name, at) => {
        const lines = fixture(name).split('\n');
        neverWrong(fixture(name), lines.toSpliced(at % lines.length, 1).join('\n'), others.includes(name));
      }),
      { numRuns: 300 * times },
    );
  });

  test('a word is missing from a row', () => {
    fc.assert(
      fc.property(someBoxed, fc.nat(), fc.nat(), (name, at, word) => {
        const lines = fixture(name).split('\n');
        const rows = lines.flatMap((line, n) => (/^\|.*\d.*\|$/.test(line) ? [n] : []));
        const n = rows[at % rows.length]!;
        const words = [...lines[n]!.matchAll(/[^\s|]+/g)];
        const gone = words[word % words.length]!;
        const cut =
          lines[n]!.slice(0, gone.index) + ' '.repeat(gone[0].length) + lines[n]!.slice(gone.index + gone[0].length);
        neverWrong(fixture(name), lines.with(n, cut).join('\n'));
      }),
      { numRuns: 300 * times },
    );
  });

  test('a word is replaced by what no tool would print', () => {
    fc.assert(
      fc.property(
        someBoxed,
        fc.nat(),
        fc.nat(),
        fc.constantFrom('??', 'N/A', '错误', '12,5', '1e9'),
        (name, at, word, junk) => {
          const lines = fixture(name).split('\n');
          const rows = lines.flatMap((line, n) => (/^\|.*\d.*\|$/.test(line) ? [n] : []));
          const n = rows[at % rows.length]!;
          const words = [...lines[n]!.matchAll(/[^\s|]+/g)];
          const gone = words[word % words.length]!;
          const put = lines[n]!.slice(0, gone.index) + junk + lines[n]!.slice(gone.index + gone[0].length);
          const read = readDevices(lines.with(n, put).join('\n'));
          const truth = readDevices(fixture(name));
          for (const device of read.devices) {
            const real = truth.devices.find((one) => key(one) === key(device) || one.index === device.index);
            for (const figure of figures.slice(1))
              if (device[figure] !== null && real !== undefined) expect(device[figure]).toBe(real[figure]);
          }
        },
      ),
      { numRuns: 300 * times },
    );
  });

  test('wider or narrower columns change nothing', () => {
    fc.assert(
      fc.property(someBoxed, fc.integer({ min: 1, max: 7 }), (name, width) => {
        const text = fixture(name);
        const moved = text
          .split('\n')
          .map((line) => (line.startsWith('|') ? line.replaceAll(/ {2,}/g, ' '.repeat(width)) : line))
          .join('\n');
        expect(readDevices(moved).devices).toEqual(readDevices(text).devices);
      }),
      runs,
    );
  });

  test('columns in another order change nothing, nor does a new column', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('npu-smi-910b3.txt', 'mx-smi-2.2.8.txt', 'ixsmi.txt'),
        fc.boolean(),
        (name, added) => {
          const text = fixture(name);
          const devices = text.split(/\n\n\+|(?=\| NPU +Chip)/)[0]!;
          const moved = devices
            .split('\n')
            .map((line) => {
              const cells = line.startsWith('|') && line.endsWith('|') ? line.slice(1, -1).split('|') : [];
              if (cells.length !== 3) return line;
              const [a, b, c] = cells;
              const extra = /Bus-Id|Name|AICore|Temp|Memory-Usage/i.test(line) ? ' Newthing ' : ' 42 ';
              return `|${[c, a, ...(added ? [extra] : []), b].join('|')}|`;
            })
            .join('\n');
          const strip = (device: Device): Device => ({ ...device, processes: [] });
          expect(readDevices(moved).devices.map(strip)).toEqual(readDevices(devices).devices.map(strip));
        },
      ),
      { numRuns: 20 },
    );
  });

  test('localised headers and full-width marks', () => {
    for (const name of boxed) {
      const text = fixture(name);
      neverWrong(text, text.replaceAll('|', '｜'));
      neverWrong(
        text,
        text.replaceAll('Power(W)', '功耗').replaceAll('Memory-Usage', '显存').replaceAll('Temp', '温度'),
      );
      neverWrong(text, text.replaceAll('Bus-Id', '总线').replaceAll('GPU-Util', '利用率'));
    }
    const usages = fixture('npu-smi-usages.txt');
    expect(readDevices(usages.replaceAll(':', '：')).devices).toEqual(readDevices(usages).devices);
  });
});
