import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Device } from './device.ts';
import { readDevices } from './read-devices.ts';

const folder = join(import.meta.dirname, '../../../../test/fixtures/hardware-devices');
const fixture = (name: string): string => readFileSync(join(folder, name), 'utf8');
const mib = 1024 ** 2;

/** index, used MiB, total MiB, utilisation %, W, °C: copied by eye from the fixture, null where the tool does not say. */
type Row = [number | null, number | null, number | null, number | null, number | null, number | null];

const row = (device: Device): Row => [
  device.index,
  device.memoryUsedBytes === null ? null : device.memoryUsedBytes / mib,
  device.memoryTotalBytes === null ? null : device.memoryTotalBytes / mib,
  device.utilizationRatio === null ? null : Math.round(device.utilizationRatio * 1000) / 10,
  device.powerW,
  device.temperatureC,
];

const told: Record<string, { vendor: string; rows: Row[] }> = {
  'npu-smi-910b3.txt': {
    vendor: 'huawei',
    rows: [
      [0, 3357, 65536, 0, 93.1, 51],
      [1, 3350, 65536, 0, 91.2, 50],
      [2, 3347, 65536, 0, 89.7, 51],
      [3, 3348, 65536, 0, 92.1, 53],
      [4, 53492, 65536, 47, 176.6, 61],
      [5, 53491, 65536, 48, 173.5, 62],
      [6, 53491, 65536, 49, 169.8, 63],
      [7, 53492, 65536, 47, 175.6, 63],
    ],
  },
  'npu-smi-a3.txt': {
    vendor: 'huawei',
    rows: [
      [4, 3411, 65536, 12, 176.3, 36],
      [5, 53208, 65536, 34, null, 37],
    ],
  },
  'npu-smi-26.txt': {
    vendor: 'huawei',
    rows: [
      [0, 2871, 32768, 7, 82.6, 32],
      [3, 22314, 32768, 42, 96.9, 36],
    ],
  },
  'npu-smi-310p.txt': {
    vendor: 'huawei',
    rows: [
      [0, 1805, 21527, 3, null, 28],
      [1, 1070, 21534, 0, 15.4, 43],
    ],
  },
  'npu-smi-310b.txt': { vendor: 'huawei', rows: [[0, 4974, 11577, 0, 8.9, 54]] },
  'npu-smi-usages.txt': {
    vendor: 'huawei',
    rows: [
      [null, null, 65536, 47, null, null],
      [null, null, 65536, 0, null, null],
    ],
  },
  'hl-smi-query-header.csv': {
    vendor: 'habana',
    rows: [
      [null, 672, 98304, 12, 96, 31],
      [null, 91672, 98304, 97, 415, 58],
    ],
  },
  'hy-smi-bw.json': {
    vendor: 'hygon',
    rows: [
      [0, 59623, 65520, 93.5, 287, 66],
      [1, 3, 65520, 0, 84, 52],
    ],
  },
  'mx-smi-dmon-hbm.csv': {
    vendor: 'metax',
    rows: [
      [0, null, 65536, 88, 263, 47],
      [1, null, 65536, 0, 58, 35],
    ],
  },
  'npu-smi-board.txt': { vendor: 'huawei', rows: [[1, null, null, 25, 69, 46]] },
  'npu-smi-watch.txt': {
    vendor: 'huawei',
    rows: [
      [0, null, null, 18, 162.1, 44],
      [1, null, null, 36, 153.8, 41],
    ],
  },
  'npu-smi-watch-26.txt': {
    vendor: 'huawei',
    rows: [
      [0, null, null, 9, 290.4, 51],
      [1, null, null, 0, 292.1, 49],
    ],
  },
  'mx-smi-2.1.6.txt': {
    vendor: 'metax',
    rows: [
      [0, 60982, 65536, 0, 71, 51],
      [1, 60534, 65536, 0, 76, 51],
      [2, 60534, 65536, 0, 74, 50],
      [3, 60534, 65536, 0, 71, 50],
    ],
  },
  'mx-smi-2.2.4.txt': {
    vendor: 'metax',
    rows: [
      [0, 60858, 65536, 91, 353, 29],
      [1, 858, 65536, 0, 54, 31],
    ],
  },
  'mx-smi-2.2.8.txt': {
    vendor: 'metax',
    rows: [
      [0, 666, 65536, 5, 29, 37],
      [1, 667, 65536, 0, 33, 38],
    ],
  },
  'mx-smi-2.3.1.txt': { vendor: 'metax', rows: [[0, 20826, 65536, 13, 137, 42]] },
  'mx-smi-dmon.csv': {
    vendor: 'metax',
    rows: [
      [0, null, 65536, 36, 121, 41],
      [1, null, 65536, 35, 119, 42],
    ],
  },
  'mx-smi-blocks.txt': {
    vendor: 'metax',
    rows: [
      [0, null, null, null, null, 39],
      [1, null, null, null, null, 39.25],
    ],
  },
  'hl-smi.txt': {
    vendor: 'habana',
    rows: [
      [0, 768, 98304, 7, 96, 22],
      [1, 90768, 98304, 63, 78, 24],
    ],
  },
  'hl-smi-query.csv': {
    vendor: 'habana',
    rows: [
      [0, 672, 131072, 0, 226, 36],
      [1, 100672, 131072, 88, 626, 56],
    ],
  },
  'cnmon-v4.txt': { vendor: 'cambricon', rows: [[0, 77, 23308, 2, 30, 32]] },
  'cnmon-v5.txt': {
    vendor: 'cambricon',
    rows: [
      [0, 512, 23374, 4, 106, 32],
      [1, 0, 23374, 0, 107, 39],
    ],
  },
  'cnmon_info.json': { vendor: 'cambricon', rows: [[0, 2048, 23374, 37, null, 41]] },
  'ixsmi.txt': {
    vendor: 'iluvatar',
    rows: [
      [0, 116, 32768, 1, null, 32],
      [1, 117, 32768, 0, 93, 30],
    ],
  },
  'ixsmi-query.csv': {
    vendor: 'iluvatar',
    rows: [
      [0, 116, 32768, 3, null, 32],
      [1, 216, 32768, 0, 93, 30],
    ],
  },
  'hy-smi.txt': {
    vendor: 'hygon',
    rows: [
      [0, null, null, 74, 8, 67],
      [1, null, null, 29, 9, 68],
    ],
  },
  'hy-smi-lenient.json': { vendor: 'hygon', rows: [[0, 12058, 65520, 27.5, 118, 49]] },
  'rocm-smi.json': {
    vendor: 'amd',
    rows: [
      [0, 296001536 / mib, 196592, 37, 139, 52],
      [1, 296001536 / mib, 196592, 0, null, null],
    ],
  },
  'amd-smi.json': {
    vendor: 'amd',
    rows: [
      [0, 283, 294896, 47, 239, 36],
      [1, null, null, null, null, null],
    ],
  },
  'nvidia-h200-table.txt': { vendor: 'nvidia', rows: [[0, 21491, 143771, 99, 690, 59]] },
  'nvidia-h200-query.csv': { vendor: 'nvidia', rows: [[0, 21491, 143771, 99, 691.23, 59]] },
  'nvidia-h200-query-long.csv': { vendor: 'nvidia', rows: [[0, 21491, 143771, 99, 691.56, 59]] },
  'nvidia-h200-query-noheader.csv': { vendor: 'nvidia', rows: [[0, 21491, 143771, 99, 691.58, 59]] },
  'nvidia-h200-dmon.txt': { vendor: 'nvidia', rows: [[0, 21491, null, 99, 689, 60]] },
  'nvidia-h200-dmon.csv': { vendor: 'nvidia', rows: [[0, 21491, null, 99, 692, 60]] },
  'nvidia-dmon.txt': {
    vendor: 'nvidia',
    rows: [
      [0, 1304, null, 100, 680, 55],
      [1, 1, null, 0, 70, 30],
    ],
  },
};

describe('readDevices', () => {
  test.each(Object.entries(told))('%s says what the eye reads', (name, { vendor, rows }) => {
    const { devices } = readDevices(fixture(name));
    expect(devices.map(row)).toEqual(rows);
    expect(new Set(devices.map((device) => device.vendor))).toEqual(new Set([vendor]));
  });

  test('processes stand with their card, names and memory as printed', () => {
    const npu = readDevices(fixture('npu-smi-910b3.txt')).devices;
    expect(npu[4]!.processes).toEqual([{ pid: 1284491, name: 'mindie_llm_back', memoryBytes: 50194 * mib }]);
    expect(npu[0]!.processes).toEqual([]);
    const mx = readDevices(fixture('mx-smi-2.1.6.txt')).devices;
    expect(mx[3]!.processes).toEqual([{ pid: 23034, name: 'ray::RayWorkerW', memoryBytes: 59584 * mib }]);
  });

  test('the H200: its process by UUID and by table, its node through tabs and colours', () => {
    const query = readDevices(
      `${fixture('nvidia-h200-query.csv')}\n${fixture('nvidia-h200-apps.csv')}\n${fixture('nvidia-h200-topo.txt')}`,
    );
    expect(query.warnings).toEqual([]);
    expect(query.devices[0]).toMatchObject({
      name: 'NVIDIA H200',
      busId: '0000:00:06.0',
      powerLimitW: 700,
      numaNode: 0,
      cpuAffinity: '0-15',
    });
    const process = { pid: 415, name: 'python3', memoryBytes: 21482 * mib };
    expect(query.devices[0]!.processes).toEqual([process]);
    const table = readDevices(fixture('nvidia-h200-table.txt'));
    expect(table.warnings).toEqual([]);
    expect(table.devices[0]).toMatchObject({ busId: '0000:00:06.0', powerLimitW: 700, processes: [process] });
  });

  test('slices of a card (MIG) do not overwrite the card', () => {
    const slices = `
+-----------------------------------------------------------------------------------------+
| MIG devices:                                                                            |
+------------------+----------------------------------+-----------+-----------------------+
| GPU  GI  CI  MIG |              Shared Memory-Usage |        Vol|        Shared         |
|      ID  ID  Dev |                Shared BAR1-Usage | SM     Unc| CE ENC  DEC  OFA  JPG |
|                  |                                  |        ECC|                       |
|==================+==================================+===========+=======================|
|  0    9   0   0  |               22MiB / 16384MiB   | 16      0 |  1   0    1    0    1 |
|                  |                 0MiB / 23911MiB  |           |                       |
+------------------+----------------------------------+-----------+-----------------------+
`;
    const { devices, warnings } = readDevices(fixture('nvidia-h200-table.txt') + slices);
    expect(devices.map(row)).toEqual([[0, 21491, 143771, 99, 690, 59]]);
    expect(warnings.map((warning) => warning.en)).toContain(
      'MIG instances are not cards and were left out; the card itself is given',
    );
  });

  test('topologies tell the node and the CPUs near each card, through colours and tabs', () => {
    const mx = readDevices(fixture('mx-smi-topo.txt')).devices;
    expect(mx.map((d) => [d.index, d.numaNode, d.cpuAffinity])).toEqual([0, 1, 2, 3].map((n) => [n, 0, '0-15']));
    const nvidia = readDevices(fixture('nvidia-topo.txt')).devices;
    expect(nvidia.map((d) => [d.numaNode, d.cpuAffinity])).toEqual([
      [0, '0-47,96-143'],
      [1, '48-95,144-191'],
    ]);
    const npu = readDevices(fixture('npu-smi-topo.txt')).devices;
    expect(npu.map((d) => d.cpuAffinity)).toEqual(['144-167', '144-167', '96-119', '96-119']);
  });

  test('a file with a table and a topology gives each card its node', () => {
    const { devices } = readDevices(fixture('mx-smi-2.1.6.txt') + fixture('mx-smi-topo.txt'));
    expect(devices.map((d) => [d.index, d.memoryUsedBytes! / mib, d.numaNode])).toEqual([
      [0, 60982, 0],
      [1, 60534, 0],
      [2, 60534, 0],
      [3, 60534, 0],
    ]);
  });

  test('layouts that were only described say so, seen ones do not', () => {
    expect(readDevices(fixture('ixsmi-query.csv')).layouts[0]!.verified).toBe(false);
    expect(readDevices(fixture('hl-smi-query-header.csv')).layouts[0]!.verified).toBe(true);
    expect(readDevices(fixture('mx-smi-dmon-hbm.csv')).layouts[0]!.verified).toBe(true);
    expect(readDevices(fixture('ixsmi-query.csv')).warnings[0]!.en).toContain('read by its description');
    expect(readDevices(fixture('mx-smi-2.1.6.txt')).warnings).toEqual([]);
    expect(readDevices(fixture('npu-smi-910b3.txt')).warnings).toEqual([]);
  });

  test('the controller of an Ascend card is no chip: its temperature and power stay away', () => {
    expect(readDevices(fixture('npu-smi-board.txt')).devices).toHaveLength(1);
  });

  test('a line that is missing from key: value outputs is told', () => {
    const warned = (name: string, gone: RegExp): string[] =>
      readDevices(fixture(name).replace(gone, '')).warnings.map(({ en }) => en);
    expect(warned('npu-smi-board.txt', /^.*NPU Real-time Power.*\n/m)).toEqual([
      'huawei 1: the output does not tell power; left unknown',
    ]);
    expect(warned('npu-smi-usages.txt', /^.*Aicore Usage Rate.*\n/m)).toEqual([
      'huawei 2/0: the output does not tell use; left unknown',
    ]);
    expect(warned('npu-smi-board.txt', /^never$/)).toEqual([]);
    expect(warned('hy-smi-bw.json', /"HCU use \(%\)": "93.5", /)).toEqual([
      'hygon 0: the output does not tell use; left unknown',
    ]);
  });

  test('--tool leaves other tools’ cards out', () => {
    const both = fixture('mx-smi-2.1.6.txt') + fixture('npu-smi-26.txt');
    expect(readDevices(both).devices).toHaveLength(6);
    expect(readDevices(both, 'npu-smi').devices.map((d) => d.index)).toEqual([0, 3]);
  });

  test('the guide’s headerless query is read only in the order the guide prints', () => {
    const line =
      '0, GPU-5c1b, NVIDIA H100, 00000000:1B:00.0, 550.54, 9.0, 81559, 1204, 98, 33, 55, 61, 512.31, 700.00, 1755, 2619, 0x0, P0, 5, 16, Disabled, Enabled\n';
    expect(readDevices(line).devices.map(row)).toEqual([[0, 1204, 81559, 98, 512.31, 55]]);
    const shifted = line
      .replace('9.0, 81559, 1204', '81559, 1204, 9.0')
      .replace('GPU-5c1b, NVIDIA', 'NVIDIA, GPU-5c1b');
    expect(readDevices(shifted).devices).toEqual([]);
  });

  test('words that mean "unknown" are null, in every tool’s spelling', () => {
    const header = 'index, name, memory.total [MiB], memory.used [MiB], utilization.gpu [%], power.draw [W]\n';
    for (const word of ['[N/A]', 'N/A', '[Not Supported]', '[Unknown Error]', '[Insufficient Permissions]', '-']) {
      const [device] = readDevices(`${header}0, GB10, ${word}, ${word}, 7 %, ${word}\n`).devices;
      expect(row(device!)).toEqual([0, null, null, 7, null, null]);
    }
  });

  test('hostile text gives no card and no crash', () => {
    for (const text of [
      '',
      '\u0000',
      '{"card0": {"__proto__": 1}}',
      '|'.repeat(5000),
      '[{"usage":'.repeat(50),
      '<html>',
    ]) {
      for (const device of readDevices(text).devices) expect(device.memoryUsedBytes).toBe(null);
    }
  });
});
