import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { foreignTools } from '../../src/cli/as/find-tool.ts';
import type { Takes } from '../../src/tools/foreign-flags.ts';
import { vllm2023Flags } from '../../src/tools/vllm/flags.ts';
import { asRun, prompts } from './as-run.ts';
import type { AsRun } from './as-run.ts';
import { evalscopePerfRows } from './as-rows/evalscope-perf.ts';
import { evalscopeRows } from './as-rows/evalscope.ts';
import { mindieRows } from './as-rows/mindie.ts';
import { vllm2023Rows } from './as-rows/vllm-2023.ts';
import { vllmRows } from './as-rows/vllm.ts';

const tools = [evalscopePerfRows, evalscopeRows, vllmRows, vllm2023Rows, mindieRows];

let runner: AsRun;
beforeAll(async () => {
  runner = await asRun();
});
afterAll(() => runner.close());

describe.concurrent.each(tools.map((tool) => [tool.tool, tool] as const))('%s', (_, { table, base, rows }) => {
  test.each(rows.map((row) => [row.flag, row.words, row] as const))('%s: %s', async (_flag, _words, row) => {
    const ran = await runner.as(`${row.base ?? base} ${row.words}`);
    if ((row.code ?? 0) === 0) expect(ran.err).not.toMatch(/^error/m);
    expect(ran.code).toBe(row.code ?? 0);
    expect(await row.effect(ran)).toEqual(row.expected);
  });

  test('every flag that is obeyed is shown above', () => {
    const shown = new Set(rows.map(({ flag }) => flag));
    expect(Object.keys(table.supported).filter((flag) => !shown.has(flag))).toEqual([]);
    expect([...shown].filter((flag) => !Object.hasOwn(table.supported, flag))).toEqual([]);
  });

  test('every flag without effect is named in one warning, and changes nothing that is sent', async () => {
    const ignored = Object.entries(table.ignored ?? {});
    if (ignored.length === 0) return;
    const value = (takes: Takes): string => (takes === 'nothing' ? '' : '1');
    const short = rows.find(({ words, code }) => words.endsWith(' 1') && code === undefined)!;
    const plain = await runner.as(`${short.base ?? base} ${short.words}`);
    const more = await runner.as(
      `${short.base ?? base} ${short.words} ${ignored.map(([flag, takes]) => `${flag} ${value(takes)}`).join(' ')}`,
    );
    expect(more.code).toBe(0);
    expect(more.err).toContain(`without effect here: ${ignored.map(([flag]) => flag).join(', ')}\n`);
    expect(more.seen.map(({ body }) => body)).toEqual(plain.seen.map(({ body }) => body));
  });

  test('every flag that is refused says what to do instead, and nothing is sent', async () => {
    for (const [flag, instead] of Object.entries(table.rejected ?? {})) {
      const ran = await runner.as(`${base} ${flag} 1`);
      expect([flag, ran.code, ran.asked]).toEqual([flag, 2, 0]);
      expect(ran.err).toContain(instead.en);
    }
  });
});

test('every table of flags that dyno as has is among those above', () => {
  const shown = new Set(tools.map(({ table }) => table));
  expect([...foreignTools.map(({ table }) => table), vllm2023Flags].filter((table) => !shown.has(table))).toEqual([]);
});

test('prompts are mixed by the seed unless told otherwise, each once before any comes again', async () => {
  const order = async (more: string): Promise<string[]> =>
    prompts(
      await runner.as(
        `vllm bench serve --base-url URL --model m --dataset-name custom --dataset-path DIR/custom.jsonl --num-prompts 3 --max-concurrency 1 ${more}`,
      ),
    );
  const plain = await order('--disable-shuffle');
  const mixed: string[][] = [];
  for (const seed of ['1', '2', '3', '4', '5', '6']) mixed.push(await order(`--seed ${seed}`));
  for (const each of mixed) expect(new Set(each)).toEqual(new Set(plain));
  expect(new Set(mixed.map((each) => each.join('|'))).size).toBeGreaterThan(1);
  expect(await order('--seed 4')).toEqual(mixed[3]);
});
