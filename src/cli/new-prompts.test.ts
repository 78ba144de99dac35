import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import type { RunPlan } from '../core/index.ts';
import type { PlanWords } from '../run/index.ts';
import type { Given } from './command.ts';
import { flushCache } from './flush-cache.ts';
import { promptsOf, withNewPrompts } from './new-prompts.ts';
import type { Prepared } from './prepare.ts';

const words = (changes: Partial<PlanWords> = {}): PlanWords => ({ ...changes });
const seedOf = (changes: Partial<PlanWords>): unknown => withNewPrompts(words(changes)).promptSeed;

test('prompts are new in every run, unless a seed was typed or the same ones are asked for', () => {
  expect(new Set(Array.from({ length: 20 }, () => seedOf({}))).size).toBeGreaterThan(18);
  expect(seedOf({ seed: 1 })).toBeUndefined();
  expect(seedOf({ samePrompts: true })).toBeUndefined();
  expect(seedOf({ promptSeed: 5 })).toBe(5);
});

test('who goes on with a run asks on with the prompts of its plan', () => {
  const given = { flags: new Map() } as unknown as Given;
  const plan = { dataset: { settings: { seed: 77 } } } as unknown as RunPlan;
  expect(promptsOf(given, plan).flags.get('prompt-seed')).toEqual(['77']);
  expect(promptsOf(given, null)).toBe(given);
  expect(promptsOf(given, { dataset: {} } as unknown as RunPlan)).toBe(given);
});

test('--flush-cache asks vLLM, then SGLang, and says so where neither is understood', async () => {
  for (const [understood, asked, doubt] of [
    ['/reset_prefix_cache', ['/reset_prefix_cache'], null],
    ['/flush_cache', ['/reset_prefix_cache', '/flush_cache'], null],
    ['', ['/reset_prefix_cache', '/flush_cache'], 'cache-not-flushed'],
  ] as const) {
    const heard: string[] = [];
    const server = createServer((request, answer) => {
      heard.push(request.url!);
      answer.writeHead(request.url === understood ? 200 : 404).end();
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/completions`;
    const prepared = { words: { flushCache: true }, secrets: {} } as unknown as Prepared;
    const plan = { target: { url, api: 'openai-completions', model: 'm', headers: {}, keyEnv: null, insecure: false } };
    const given = { common: { quiet: true, lang: 'en' } } as unknown as Given;
    const found = await flushCache(given, prepared, plan as unknown as RunPlan);
    expect(found?.code ?? null).toBe(doubt);
    expect(heard).toEqual(asked);
    server.closeAllConnections();
    server.close();
  }
});
