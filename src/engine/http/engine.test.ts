import { Agent, request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { estimateTokens } from '../sim/index.ts';
import { call, chat, events, profile, start, stopAll } from '../../../test/engine-client.ts';

afterEach(stopAll);

describe('chat completions', () => {
  it('streams a role, one token per event, the finish, the usage and [DONE]', async () => {
    const engine = await start();
    const heard = await call(
      engine,
      '/v1/chat/completions',
      chat({ stream: true, max_tokens: 7, stream_options: { include_usage: true } }),
    );
    expect(heard.status).toBe(200);
    expect(heard.headers['content-type']).toMatch(/^text\/event-stream/);
    const all = events(heard.body);
    expect(all).toHaveLength(1 + 7 + 3);
    expect(all[0].choices[0]).toMatchObject({ delta: { role: 'assistant', content: '' }, finish_reason: null });
    expect(all.slice(1, 8).every((event) => event.choices[0].delta.content.length > 0)).toBe(true);
    expect(all[8].choices[0]).toEqual({ index: 0, delta: {}, logprobs: null, finish_reason: 'length' });
    expect(all[9]).toMatchObject({ object: 'chat.completion.chunk', model: 'quick-model', choices: [] });
    // 20 characters of English at a quarter each.
    expect(all[9].usage).toEqual({ prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 });
    expect(all[10]).toBe('[DONE]');
    expect(new Set(all.slice(0, 10).map((event) => event.id)).size).toBe(1);
  });

  it('says the same text at once when not streamed', async () => {
    const engine = await start();
    const streamed = await call(engine, '/v1/chat/completions', chat({ stream: true, max_tokens: 20 }));
    const whole = JSON.parse((await call(engine, '/v1/chat/completions', chat({ max_tokens: 20 }))).body);
    const text = events(streamed.body)
      .filter((event) => event !== '[DONE]')
      .map((event) => event.choices[0].delta.content ?? '')
      .join('');
    expect(whole).toMatchObject({ object: 'chat.completion', usage: { prompt_tokens: 5, completion_tokens: 20 } });
    expect(whole.choices[0]).toMatchObject({ message: { role: 'assistant', content: text }, finish_reason: 'length' });
  });

  it('answers Chinese in Chinese and English in English', async () => {
    const engine = await start();
    const [zh, en] = await Promise.all(
      ['天空为什么是蓝色的？', 'Why is the sky blue?'].map(async (question) => {
        const heard = await call(engine, '/v1/chat/completions', chat({ max_tokens: 30 }, question));
        return JSON.parse(heard.body).choices[0].message.content as string;
      }),
    );
    expect(zh).toMatch(/^[\u3000-\u9fff\uff00-\uffef]+$/);
    expect(en).toMatch(/^[A-Za-z,. ]+$/);
  });

  it('reasons first where told to, inside max_tokens', async () => {
    const engine = await start({ reasoningTokens: 4 });
    const body = chat({ stream: true, max_tokens: 10, stream_options: { include_usage: true } });
    const all = events((await call(engine, '/v1/chat/completions', body)).body);
    const kinds = all.slice(1, 11).map((event) => Object.keys(event.choices[0].delta).join());
    expect(kinds).toEqual([...Array(4).fill('reasoning_content'), ...Array(6).fill('content')]);
    expect(all[12].usage).toMatchObject({ completion_tokens: 10, completion_tokens_details: { reasoning_tokens: 4 } });
  });

  it('honours max_completion_tokens, min_tokens, ignore_eos and stop', async () => {
    const engine = await start({ speed: 1000 });
    const ask = async (more: object) => JSON.parse((await call(engine, '/v1/chat/completions', chat(more))).body);
    expect((await ask({ max_completion_tokens: 3 })).usage.completion_tokens).toBe(3);
    expect((await ask({ ignore_eos: true, max_tokens: 600 })).usage.completion_tokens).toBe(600);
    expect((await ask({ min_tokens: 900, max_tokens: 1000 })).usage.completion_tokens).toBeGreaterThanOrEqual(900);
    const stopped = await ask({ stop: ['.'], max_tokens: 100 });
    // The 13th token is the first full stop; it is counted, and not shown.
    expect(stopped.usage.completion_tokens).toBe(13);
    expect(stopped.choices[0]).toMatchObject({ finish_reason: 'stop' });
    expect(stopped.choices[0].message.content).not.toContain('.');
  });

  it('the same question is answered at the same length every time', async () => {
    const engine = await start({ speed: 1000 });
    const ask = async () =>
      JSON.parse((await call(engine, '/v1/chat/completions', chat())).body).usage.completion_tokens;
    expect(await ask()).toBe(await ask());
  });
});

describe('the seed', () => {
  const lengthsOf = async (seed: number): Promise<number[]> => {
    const engine = await start({ seed, speed: 1000 });
    const lengths: number[] = [];
    for (let i = 0; i < 6; i++) {
      const body = { messages: [{ role: 'user', content: `question ${i}` }] };
      lengths.push(JSON.parse((await call(engine, '/v1/chat/completions', body)).body).usage.completion_tokens);
    }
    return lengths;
  };

  it('decides how long answers are', async () => {
    const seven = await lengthsOf(7);
    expect(await lengthsOf(7)).toEqual(seven);
    expect(await lengthsOf(1)).not.toEqual(seven);
  });
});

describe('completions', () => {
  it('streams text and tells usage equal to the tokens streamed', async () => {
    const engine = await start();
    const body = { prompt: '请解释一下排队论', stream: true, max_tokens: 9, stream_options: { include_usage: true } };
    const all = events((await call(engine, '/v1/completions', body)).body);
    const texts = all.filter((event) => event !== '[DONE]' && event.choices[0]?.text);
    expect(texts).toHaveLength(9);
    expect(texts[0]).toMatchObject({ object: 'text_completion' });
    expect(all.at(-2).usage).toEqual({
      prompt_tokens: estimateTokens('请解释一下排队论'),
      completion_tokens: 9,
      total_tokens: estimateTokens('请解释一下排队论') + 9,
    });
  });

  it('takes token numbers as a prompt', async () => {
    const engine = await start();
    const heard = await call(engine, '/v1/completions', { prompt: [1, 2, 3, 4], max_tokens: 2 });
    expect(JSON.parse(heard.body).usage).toMatchObject({ prompt_tokens: 4, completion_tokens: 2 });
  });
});

describe('several choices', () => {
  it('take turns in a stream, each with its own words and finish; the usage counts all', async () => {
    const engine = await start();
    const body = chat({ stream: true, n: 3, ignore_eos: true, max_tokens: 6, stream_options: { include_usage: true } });
    const all = events((await call(engine, '/v1/chat/completions', body)).body);
    const of = (index: number) => all.filter((event) => event !== '[DONE]' && event.choices[0]?.index === index);
    for (const index of [0, 1, 2]) {
      expect(of(index)[0].choices[0].delta).toEqual({ role: 'assistant', content: '' });
      expect(of(index)).toHaveLength(1 + 6 + 1);
      expect(of(index).at(-1).choices[0].finish_reason).toBe('length');
    }
    const words = [0, 1, 2].map((index) =>
      of(index)
        .map((event) => event.choices[0].delta.content ?? '')
        .join(''),
    );
    expect(new Set(words).size).toBe(3);
    // 20 characters of English at a quarter each, read once; 3 answers of 6.
    expect(all.at(-2)).toMatchObject({ choices: [], usage: { prompt_tokens: 5, completion_tokens: 18 } });
    expect(all.at(-1)).toBe('[DONE]');
    expect(all.filter((event) => event !== '[DONE]' && event.usage)).toHaveLength(1);
    const whole = JSON.parse((await call(engine, '/v1/chat/completions', { ...body, stream: false })).body);
    expect(whole.choices.map((choice: { message: { content: string } }) => choice.message.content)).toEqual(words);
    expect(whole.choices.map((choice: { index: number }) => choice.index)).toEqual([0, 1, 2]);
    expect(whole.usage).toEqual({ prompt_tokens: 5, completion_tokens: 18, total_tokens: 23 });
  });

  it('end when each ends: the stream goes on until the longest is out, and the slots come back', async () => {
    const engine = await start({ speed: 1000 });
    const all = events((await call(engine, '/v1/completions', { prompt: 'Why?', n: 8, stream: true })).body);
    const lengths = Array.from(
      { length: 8 },
      (_, index) => all.filter((event) => event !== '[DONE]' && event.choices[0].index === index).length,
    );
    expect(new Set(lengths).size).toBeGreaterThan(1);
    expect(all.filter((event) => event !== '[DONE]' && event.choices[0].finish_reason !== null)).toHaveLength(8);
    expect(engine.stats().counters).toMatchObject({ running: 0, kvUsedBlocks: 0 });
    expect(engine.stats().requests).toBe(1);
  });

  it('a client that goes away frees the slots of all of them', async () => {
    const engine = await start({ profile: { ...profile, maxBatchSize: 2 } });
    const endless = chat({ stream: true, ignore_eos: true, max_tokens: 5000, n: 2 });
    await call(engine, '/v1/chat/completions', endless, { onRead: (_soFar, req) => req.destroy() });
    expect((await call(engine, '/v1/chat/completions', chat({ max_tokens: 2 }))).status).toBe(200);
    expect(engine.stats().counters).toMatchObject({ running: 0, kvUsedBlocks: 0 });
  });
});

describe('SGLang’s own wire', () => {
  it('says all text and all token numbers so far, then the finish and the times', async () => {
    const engine = await start();
    const sampling_params = { max_new_tokens: 5, ignore_eos: true };
    const all = events((await call(engine, '/generate', { text: 'Why?', sampling_params, stream: true })).body);
    expect(all).toHaveLength(5 + 1);
    for (const [i, event] of all.slice(1, 5).entries()) {
      expect(event.text.startsWith(all[i].text)).toBe(true);
      expect(event.output_ids).toHaveLength(i + 2);
      expect(event.meta_info.completion_tokens).toBe(i + 2);
    }
    expect(all[0].meta_info).toMatchObject({ finish_reason: null, prompt_tokens: 1, cached_tokens: 0 });
    expect(all[4].meta_info).toMatchObject({ finish_reason: { type: 'length', length: 5 }, prompt_tokens: 1 });
    expect(all[4].meta_info.e2e_latency).toBeGreaterThan(0);
    const whole = JSON.parse((await call(engine, '/generate', { text: 'Why?', sampling_params })).body);
    expect([whole.text, whole.output_ids]).toEqual([all[4].text, all[4].output_ids]);
  });

  it('takes token numbers, min_new_tokens and stop, and makes 128 tokens unless told', async () => {
    const engine = await start({ speed: 1000 });
    const ask = async (sampling_params: object) =>
      JSON.parse((await call(engine, '/generate', { input_ids: [5, 6, 7], sampling_params })).body).meta_info;
    expect(await ask({ ignore_eos: true })).toMatchObject({ prompt_tokens: 3, completion_tokens: 128 });
    expect((await ask({ min_new_tokens: 90, max_new_tokens: 100 })).completion_tokens).toBeGreaterThanOrEqual(90);
    expect(await ask({ stop: '.' })).toMatchObject({ completion_tokens: 13, finish_reason: { type: 'stop' } });
  });
});

describe('refusals', () => {
  const good = { messages: [{ role: 'user', content: 'x' }] };
  it.each([
    ['broken JSON', '/v1/chat/completions', '{"messages":', 400, null],
    ['no messages', '/v1/chat/completions', {}, 400, 'messages'],
    ['an empty list', '/v1/chat/completions', { messages: [] }, 400, 'messages'],
    ['no prompt', '/v1/completions', {}, 400, 'prompt'],
    ['no choice', '/v1/chat/completions', { ...good, n: 0 }, 400, 'n'],
    ['more choices than OpenAI gives', '/v1/completions', { prompt: 'x', n: 129 }, 400, 'n'],
    ['a text beside its numbers', '/generate', { text: 'x', input_ids: [1] }, 400, 'text'],
    ['settings without a prompt', '/generate', { sampling_params: {} }, 400, 'text'],
    ['max_tokens 0', '/v1/chat/completions', { ...good, max_tokens: 0 }, 400, 'max_tokens'],
    ['more than the cache', '/v1/chat/completions', { ...good, max_tokens: 1e6, ignore_eos: true }, 400, 'max_tokens'],
    ['an unknown model', '/v1/chat/completions', { ...good, model: 'other' }, 404, 'model'],
    ['an unknown path', '/v1/nothing', {}, 404, null],
    ['too much', '/v1/chat/completions', ' '.repeat(17 * 2 ** 20), 413, null],
  ])('%s', async (_what, path, body, status, param) => {
    const engine = await start();
    const heard = await call(engine, path, body);
    expect(heard.status).toBe(status);
    expect(JSON.parse(heard.body)).toEqual({
      error: { message: expect.any(String), type: expect.any(String), param, code: status },
    });
  });

  it('the wrong method', async () => {
    const engine = await start();
    const heard = await call(engine, '/v1/chat/completions', undefined);
    expect([heard.status, heard.headers['allow']]).toEqual([405, 'POST']);
    expect((await call(engine, '/health', {})).status).toBe(405);
  });
});

describe('the other pages', () => {
  it('models, health, version', async () => {
    const engine = await start({ models: ['a', 'b'] });
    const models = JSON.parse((await call(engine, '/v1/models', undefined)).body);
    expect(models.data.map((model: { id: string }) => model.id)).toEqual(['a', 'b']);
    expect((await call(engine, '/health', undefined)).status).toBe(200);
    expect(JSON.parse((await call(engine, '/version', undefined)).body)).toMatchObject({ profile: 'quick' });
  });

  it('metrics add up with what was asked', async () => {
    const engine = await start();
    await Promise.all(
      [5, 6, 7].map((max_tokens) => call(engine, '/v1/chat/completions', chat({ max_tokens, stream: true }))),
    );
    const page = (await call(engine, '/metrics', undefined)).body;
    const value = (name: string) => Number(new RegExp(`^vllm:${name}(?:\\{.*\\})? (\\S+)$`, 'm').exec(page)?.[1]);
    expect(value('prompt_tokens_total')).toBe(15);
    expect(value('generation_tokens_total')).toBe(18);
    expect(value('num_requests_running')).toBe(0);
    expect(value('time_to_first_token_seconds_count')).toBe(3);
    expect(value('inter_token_latency_seconds_count')).toBe(4 + 5 + 6);
    expect(value('e2e_request_latency_seconds_count')).toBe(3);
    expect(page).toContain('finished_reason="length"} 3\n');
    expect(page).toContain('block_size="16",num_gpu_blocks="1000"');
  });
});

describe('connections', () => {
  it('are kept and used again, after streams too', async () => {
    const engine = await start();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (const stream of [true, false, true]) {
      const heard = await call(engine, '/v1/chat/completions', chat({ stream, max_tokens: 3 }), { agent });
      expect(heard).toMatchObject({ status: 200, broke: null });
    }
    agent.destroy();
    expect(engine.stats().connections).toBe(1);
  });

  it('a client that goes away frees its slot', async () => {
    // Only one slot: the second request is answered only if the first one's is given back.
    const engine = await start({ profile: { ...profile, maxBatchSize: 1 } });
    const endless = chat({ stream: true, ignore_eos: true, max_tokens: 15_000 });
    const first = await call(engine, '/v1/chat/completions', endless, { onRead: (_soFar, req) => req.destroy() });
    expect(first.broke).not.toBeNull();
    const second = await call(engine, '/v1/chat/completions', chat({ max_tokens: 2 }));
    expect(second.status).toBe(200);
    expect(engine.stats()).toMatchObject({
      finished: { abort: 1, length: 1 },
      counters: { running: 0, kvUsedBlocks: 0 },
    });
  });
});

describe('the head of a streamed answer', () => {
  it('is sent before there is a token', async () => {
    const engine = await start({ speed: 1, profile: { ...profile, cost: { ...profile.cost, aMs: 60_000 } } });
    const response = await new Promise<IncomingMessage>((resolve) => {
      request(`${engine.url}/v1/chat/completions`, { method: 'POST' }, resolve).end(
        JSON.stringify(chat({ max_tokens: 3, stream: true })),
      );
    });
    expect(response.headers['content-type']).toContain('text/event-stream');
    expect(engine.stats().counters.generationTokensTotal).toBe(0);
    response.destroy();
  });
});

describe('stamps', () => {
  it('stand in every object, do not go back, and lie on the monotonic clock', async () => {
    const engine = await start({ stamp: true });
    const before = process.hrtime.bigint();
    const heard = await call(engine, '/v1/chat/completions', chat({ stream: true, max_tokens: 10 }));
    const after = process.hrtime.bigint();
    const stamps = events(heard.body)
      .filter((event) => event !== '[DONE]')
      .map((event) => BigInt(event.emit_ns));
    expect(stamps).toHaveLength(12);
    [before, ...stamps, after].reduce((earlier, later) => {
      expect(later).toBeGreaterThanOrEqual(earlier);
      return later;
    });
  });
});

describe('batching', () => {
  it('requests share steps: what two make together costs fewer steps than what each makes', async () => {
    const engine = await start({ profile: { ...profile, cost: { ...profile.cost, aMs: 20 } }, speed: 0.5 });
    await Promise.all(
      [1, 2, 3, 4].map(() =>
        call(engine, '/v1/chat/completions', chat({ max_tokens: 40, stream: true, ignore_eos: true })),
      ),
    );
    const { stepsTotal, generationTokensTotal } = engine.stats().counters;
    expect(generationTokensTotal).toBe(160);
    // Alone they would take 160, over six seconds; together 40 and a few, and more where a busy machine lets them in late.
    expect(stepsTotal).toBeLessThan(120);
  });
});
