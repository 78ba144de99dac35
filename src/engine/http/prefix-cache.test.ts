import { afterEach, describe, expect, it } from 'vitest';
import { call, chat, events, profile, start, stopAll } from '../../../test/engine-client.ts';

afterEach(stopAll);

const cached = { ...profile, scheduler: { name: 'vllm-v1', settings: { enable_prefix_caching: true } } } as const;
const words = (count: number, word: string): string => Array.from({ length: count }, () => word).join(' ');

describe('shared beginnings over HTTP', () => {
  it('usage and /metrics tell what was found: 0 and 96 of 100 tokens', async () => {
    const engine = await start({ profile: cached });
    const ask = async () =>
      JSON.parse((await call(engine, '/v1/chat/completions', chat({ max_tokens: 3 }, words(100, 'sky')))).body).usage;
    expect((await ask()).prompt_tokens_details).toEqual({ cached_tokens: 0 });
    expect((await ask()).prompt_tokens_details).toEqual({ cached_tokens: 96 });
    const body = chat({ max_tokens: 1, stream: true, stream_options: { include_usage: true } }, words(100, 'sky'));
    const usage = events((await call(engine, '/v1/chat/completions', body)).body).at(-2).usage;
    expect(usage.prompt_tokens_details).toEqual({ cached_tokens: 96 });
    const page = (await call(engine, '/metrics', undefined)).body;
    expect(page).toMatch(/^vllm:prefix_cache_queries_total\{.*\} 300$/m);
    expect(page).toMatch(/^vllm:prefix_cache_hits_total\{.*\} 192$/m);
  });

  it('the next turn of a conversation finds question and answer', async () => {
    const engine = await start({ profile: cached });
    const question = { role: 'user', content: words(40, 'sky') };
    const said = async (messages: object[]) =>
      JSON.parse(
        (await call(engine, '/v1/chat/completions', { ...chat({ max_tokens: 60, ignore_eos: true }), messages })).body,
      );
    const answer = (await said([question])).choices[0].message;
    const next = await said([question, answer, { role: 'user', content: words(10, 'sea') }]);
    expect(next.usage.prompt_tokens_details.cached_tokens).toBeGreaterThan(40);
    expect(next.usage.prompt_tokens_details.cached_tokens % 16).toBe(0);
  });

  it('token numbers are compared as such', async () => {
    const engine = await start({ profile: cached });
    const numbers = Array.from({ length: 100 }, (_, i) => i + 5);
    const ask = async (prompt: number[]) =>
      JSON.parse((await call(engine, '/v1/completions', { model: 'quick-model', prompt, max_tokens: 2 })).body).usage;
    expect((await ask(numbers)).prompt_tokens_details.cached_tokens).toBe(0);
    expect((await ask(numbers.with(99, 1))).prompt_tokens_details.cached_tokens).toBe(96);
    expect((await ask(numbers.with(40, 1))).prompt_tokens_details.cached_tokens).toBe(32);
  });

  it('switched off, the usage says nothing of it', async () => {
    const engine = await start();
    const heard = await call(engine, '/v1/chat/completions', chat({ max_tokens: 3 }, words(100, 'sky')));
    expect(JSON.parse(heard.body).usage).toEqual({ prompt_tokens: 100, completion_tokens: 3, total_tokens: 103 });
  });
});
