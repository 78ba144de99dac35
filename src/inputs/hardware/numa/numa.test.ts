import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readDevices } from '../devices/read-devices.ts';
import { bindingAdvice } from './binding-advice.ts';
import { formatCpuList, parseCpuList } from './cpu-list.ts';
import { readNuma } from './read-numa.ts';

const folder = join(import.meta.dirname, '../../../../test/fixtures/hardware-devices');
const fixture = (name: string): string => readFileSync(join(folder, name), 'utf8');

describe('readNuma', () => {
  test('numactl of the published eight-node host', () => {
    const layout = readNuma(fixture('numactl-8-nodes.txt'))!;
    expect(layout.nodes.map((node) => node.cpus.length)).toEqual([16, 16, 16, 16, 16, 16, 16, 16]);
    expect(layout.nodes[0]).toMatchObject({ node: 0, memoryBytes: 64992 * 1024 ** 2, freeBytes: 4950 * 1024 ** 2 });
    expect(layout.distances![0]).toEqual([10, 22, 22, 22, 28, 22, 28, 28]);
    expect(layout.distances![7]).toEqual([28, 28, 22, 28, 22, 22, 22, 10]);
  });

  test('lscpu with full-width colons, in Chinese, as JSON, and as a table', () => {
    const guide = readNuma(fixture('lscpu-full-width.txt'))!;
    expect(guide.nodes.map((node) => formatCpuList(node.cpus))).toEqual([
      '0-23',
      '24-47',
      '48-71',
      '72-95',
      '96-119',
      '120-143',
      '144-167',
      '168-191',
    ]);
    expect(readNuma('NUMA 节点0 CPU：  0-7\nNUMA 节点1 CPU：  8-15\n')!.nodes.map((node) => node.cpus.length)).toEqual([
      8, 8,
    ]);
    const json = JSON.stringify(
      {
        lscpu: [
          { field: 'NUMA node(s):', data: '2' },
          { field: 'NUMA node0 CPU(s):', data: '0-3' },
          { field: 'NUMA node1 CPU(s):', data: '4-7' },
        ],
      },
      null,
      1,
    );
    expect(readNuma(json)!.nodes.map((node) => formatCpuList(node.cpus))).toEqual(['0-3', '4-7']);
    const table =
      '# The following is the parsable format\n# CPU,Node,Socket,Core\n0,0,0,0\n1,0,0,1\n2,1,1,2\n3,1,1,3\n';
    expect(readNuma(table)!.nodes.map((node) => node.cpus)).toEqual([
      [0, 1],
      [2, 3],
    ]);
  });

  test('a node without CPUs keeps its memory, a broken matrix is not believed', () => {
    const text =
      'available: 2 nodes (0-1)\nnode 0 cpus: 0 1\nnode 0 size: 100 MB\nnode 1 cpus:\nnode 1 size: 50 MB\nnode distances:\nnode   0   1 \n  0:  10  21 \n  1:  21  1\n';
    const layout = readNuma(text)!;
    expect(layout.nodes[1]).toEqual({ node: 1, cpus: [], memoryBytes: 50 * 1024 ** 2, freeBytes: null });
    expect(layout.distances).toBe(null);
    expect(readNuma(text.replace('21  1\n', '21  10\n'))!.distances).toEqual([
      [10, 21],
      [21, 10],
    ]);
  });

  test('law: cut off anywhere, every distance that is told is a true one', () => {
    const text = fixture('numactl-8-nodes.txt');
    const truth = readNuma(text)!;
    fc.assert(
      fc.property(fc.nat(text.length), (length) => {
        const layout = readNuma(text.slice(0, length));
        for (const node of layout?.nodes ?? []) {
          const real = truth.nodes.find((one) => one.node === node.node)!;
          for (const cpu of node.cpus) expect(real.cpus).toContain(cpu);
          if (node.memoryBytes !== null) expect(node.memoryBytes).toBe(real.memoryBytes);
        }
        if (layout?.distances != null) expect(layout.distances).toEqual(truth.distances);
      }),
    );
  });
});

describe('bindingAdvice', () => {
  test('four MXC500 on node 0 of eight: node 0, with the distances as evidence', () => {
    const layout = readNuma(fixture('numactl-8-nodes.txt'))!;
    const { devices } = readDevices(fixture('mx-smi-topo.txt'));
    const advice = bindingAdvice(layout, devices)!;
    expect(advice).toMatchObject({ node: 0, cards: 4, cardsKnown: 4, command: 'numactl -N0 -m0', also: null });
    expect(advice.distances).toEqual({
      node0: 10,
      node1: 22,
      node2: 22,
      node3: 22,
      node4: 28,
      node5: 22,
      node6: 28,
      node7: 28,
    });
    expect(advice.evidence.en).toContain('node4 28');
  });

  test('Ascend cards by their CPU affinity; the guide’s odd node beside it', () => {
    const layout = readNuma(fixture('lscpu-full-width.txt'))!;
    const advice = bindingAdvice(layout, readDevices(fixture('npu-smi-topo.txt')).devices)!;
    expect([4, 6]).toContain(advice.node);
    expect(advice.cards).toBe(2);
    expect(advice.also!.en).toContain('taskset -c 24-47 ./bin/mindieservice_daemon');
  });

  test('one node, or cards whose node nobody told: no advice', () => {
    const layout = readNuma(fixture('numactl-8-nodes.txt'))!;
    expect(bindingAdvice(layout, readDevices(fixture('mx-smi-2.1.6.txt')).devices)).toBe(null);
    const one = { ...layout, nodes: layout.nodes.slice(0, 1) };
    expect(bindingAdvice(one, readDevices(fixture('mx-smi-topo.txt')).devices)).toBe(null);
  });
});

test('law: a list of CPUs survives being written and read', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(500), { minLength: 1 }), (cpus) => {
      expect(parseCpuList(formatCpuList(cpus))).toEqual(cpus.toSorted((a, b) => a - b));
    }),
  );
});
