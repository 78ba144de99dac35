import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import type { RunPlan } from '../core/index.ts';
import { flushCache } from './flush-cache.ts';
import type { Prepared } from './prepare/prepare.ts';
import type { World } from './world.ts';

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
    const prepared = { settings: { flushCache: true }, secrets: {} } as unknown as Prepared;
    const plan = { target: { url, api: 'openai-completions', model: 'm', headers: {}, keyEnv: null, insecure: false } };
    const world = { notify: () => {} } as unknown as World;
    const found = await flushCache(world, prepared, plan as unknown as RunPlan);
    expect(found?.code ?? null).toBe(doubt);
    expect(heard).toEqual(asked);
    server.closeAllConnections();
    server.close();
  }
});
