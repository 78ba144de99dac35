import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readDevices } from './devices/read-devices.ts';
import {
  activeParametersOf,
  bindingAdvice,
  cardOfDevice,
  cards,
  cardsLike,
  decodeWork,
  knownModels,
  kvBytesOf,
  modelsLike,
  parallelMistakes,
  parametersOf,
  prefillWork,
  readNuma,
  rooflineStep,
  sequenceBytesPerCard,
  stepCostPrior,
  usualEfficiency,
  weightBytesOf,
} from './index.ts';

const fixtures = join(import.meta.dirname, '../../../test/fixtures');
const folder = join(fixtures, 'hardware-devices');
const outputs = readdirSync(folder)
  .filter((name) => /\.(txt|csv|json)$/.test(name))
  .toSorted();

/** What is known, in one line, numbers in seven digits. */
function known(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) =>
    one === null ? undefined : typeof one === 'number' ? Number(one.toPrecision(7)) : one,
  );
}

/** Its devices, or of one that was cut only those that differ from the whole one's, and what it warns of. */
function told(text: string, whole: ReadonlySet<string> = new Set()): string[] {
  const { devices, layouts, warnings } = readDevices(text);
  return [
    ...devices.map(known).filter((line) => !whole.has(line)),
    ...(whole.size === 0 ? [`layouts ${known(layouts)}`] : [`${devices.length} devices`]),
    ...warnings.map(({ en }) => `warns: ${en}`),
  ];
}

test('every output of a tool is read as agreed, whole and broken off', async () => {
  const lines = outputs.flatMap((name) => {
    const text = readFileSync(join(folder, name), 'utf8');
    const whole = new Set(readDevices(text).devices.map(known));
    const cuts = [0.25, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.97].map((share) => Math.floor(text.length * share));
    const numa = readNuma(text);
    return [
      `# ${name}`,
      ...told(text),
      ...cuts.flatMap((at) => [`cut at ${at}`, ...told(text.slice(0, at), whole)]),
      ...(numa === null ? [] : [`numa ${known(numa)}`]),
    ];
  });
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('../../../test/fixtures/hardware/devices.golden.txt');
});

test('what a model takes of a card, and how long its steps are, comes out as agreed', async () => {
  const spreads = [
    { tensor: 1, pipeline: 1, data: 1, expert: null },
    { tensor: 8, pipeline: 2, data: 1, expert: null },
    { tensor: 2, pipeline: 1, data: 4, expert: 8 },
  ];
  const lines = knownModels.flatMap(({ name, shape }, i) => {
    const figures = spreads.flatMap((parallel, s) => {
      const refused = parallelMistakes(shape, parallel).map(({ code }) => code);
      if (refused.length > 0) return [`  ${s}: ${refused.join()}`];
      const storage = { format: s === 0 ? null : ('fp8' as const), withMtp: s === 1 };
      const kv = kvBytesOf(shape, parallel, storage);
      const rig = {
        shape,
        card: cards[i % cards.length]!,
        parallel,
        weights: storage,
        kv: storage,
        efficiency: usualEfficiency,
      };
      return [
        `  ${s}: weights ${known(weightBytesOf(shape, parallel, storage))} kv ${known(kv)} ${sequenceBytesPerCard(kv, 5000)}`,
        `  ${rig.card.name} decode ${known(rooflineStep(rig, decodeWork(64, 1500)))} prefill ${known(rooflineStep(rig, prefillWork(3000, 2)))}`,
        `  prior ${known(stepCostPrior(rig))}`,
      ];
    });
    return [`# ${name} ${known(parametersOf(shape))} active ${activeParametersOf(shape)}`, ...figures];
  });
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('../../../test/fixtures/hardware/models.golden.txt');
});

test('a name that is nearly right names those it may mean; a card is told by its memory where its name tells two', () => {
  expect([cardsLike('910b'), cardsLike('h20'), cardsLike('zzzz')]).toMatchObject([
    expect.arrayContaining(['910b3-64g']) as string[],
    expect.anything() as string[],
    [],
  ]);
  expect(modelsLike('qwen2-7')).toContain('qwen2.5-7b');
  const of = (name: string, gib: number): string | null => cardOfDevice(name, gib * 1024 ** 3)?.name ?? null;
  // The board that a chip sits on is not told apart where both have as much memory.
  const chip = (name: string | null): string | undefined => name?.replace(/-(sxm\d?|pcie)/, '');
  const sized = cards.flatMap(({ name }) => {
    const [, stem, gib] = /^(.*)-(\d+)g$/.exec(name) ?? [];
    return stem === undefined ? [] : [{ name, stem, gib: Number(gib) }];
  });
  expect(sized.length).toBeGreaterThan(15);
  // A tool counts a little less than is on the label; a card of half as much is another one.
  for (const { name, stem, gib } of sized)
    expect([of(stem, gib), of(`NVIDIA ${stem}`, 0.9 * gib)].map(chip)).toEqual([chip(name), chip(name)]);
  for (const { name, stem, gib } of sized) expect(chip(of(stem, gib / 2))).not.toBe(chip(name));
  expect([of('NVIDIA H200', 141), of('910B3', 64), of('A100', 80), of('A100', 40), of('', 64)]).toEqual([
    'h200-sxm-141g',
    '910b3-64g',
    'a100-sxm-80g',
    'a100-pcie-40g',
    null,
  ]);
});

test('a server is bound to the node of most cards, of several the one nearest to all of them', () => {
  const near = (...nodes: (number | null)[]) =>
    nodes.map((numaNode, index) => ({ vendor: 'nvidia', index, numaNode, cpuAffinity: null }) as never);
  const node = (at: number, cpus: number[]) => ({ node: at, cpus, memoryBytes: null, freeBytes: 3 * 1024 ** 2 });
  // Node 2 has memory only; node 1 lies between the others.
  const layout = {
    nodes: [node(0, [0, 1]), node(1, [2, 3]), node(2, []), node(3, [4])],
    distances: [
      [10, 12, 30, 40],
      [12, 10, 30, 14],
      [30, 30, 10, 30],
      [40, 14, 30, 10],
    ],
    source: 'numactl',
  };
  const chosen = (...nodes: (number | null)[]) => {
    const advice = bindingAdvice(layout, near(...nodes));
    return advice === null ? null : [advice.node, advice.cards, advice.cardsKnown];
  };
  expect([chosen(3, 3, 0), chosen(0, 1, 3), chosen(0, 3), chosen(2, 2, 0), chosen(9), chosen(null)]).toEqual([
    [3, 2, 3],
    [1, 1, 3],
    [0, 1, 2],
    [0, 1, 3],
    null,
    null,
  ]);
  // Two nodes with processors are the least that there is a choice between.
  const of = (count: number) => bindingAdvice({ ...layout, nodes: layout.nodes.slice(0, count) }, near(0));
  expect([of(1), of(2)?.command]).toEqual([null, 'numactl -N0 -m0']);
  expect(bindingAdvice({ ...layout, nodes: [layout.nodes[0]!, layout.nodes[2]!] }, near(0))).toBeNull();
  expect(of(2)?.evidence.en).toContain('3 MB are free');
  // MindIE's daemon goes to an odd node, the nearest one; where no card tells its node, to the first.
  const ascend = (numaNode: number | null) =>
    bindingAdvice(layout, [{ vendor: 'huawei', index: 0, numaNode, cpuAffinity: null } as never]);
  expect([ascend(3)?.also?.en, ascend(0)?.also?.en, ascend(null)?.command]).toEqual([
    expect.stringContaining('taskset -c 4 '),
    expect.stringContaining('taskset -c 2-3 '),
    'taskset -c 2-3',
  ]);
});
