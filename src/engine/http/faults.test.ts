import { afterEach, describe, expect, it } from 'vitest';
import type { SimFault } from '../sim/index.ts';
import type { EngineOptions, Fault } from './index.ts';
import { call, chat, events, profile, start, stopAll } from '../../../test/engine-client.ts';

afterEach(stopAll);

const faulty = (name: Fault['name']): Partial<EngineOptions> => ({ faults: [{ name, probability: 1 }], speed: 40 });

describe('faults', () => {
  const streamed = chat({ stream: true, max_tokens: 30, ignore_eos: true });
  const whole = chat({ max_tokens: 30, ignore_eos: true });
  const both = async (name: Fault['name']) => {
    const engine = await start(faulty(name));
    const heard = [
      await call(engine, '/v1/chat/completions', streamed),
      await call(engine, '/v1/chat/completions', whole),
    ] as const;
    expect(engine.stats()).toMatchObject({ requests: 2, byFault: { [name]: 2 }, counters: { running: 0, waiting: 0 } });
    return heard;
  };

  it('reset', async () => {
    const [stream, json] = await both('reset');
    expect(stream).toMatchObject({ status: 200, broke: 'ECONNRESET' });
    expect(json).toMatchObject({ status: 0, broke: 'ECONNRESET' });
  });

  it('truncate: some of the answer, a clean end of the connection, no last words', async () => {
    const [stream, json] = await both('truncate');
    // node:http reports a body that ended too early as "aborted", with this code.
    expect(stream).toMatchObject({ status: 200, broke: 'ECONNRESET' });
    expect(stream.body).toContain('"content"');
    expect(stream.body).not.toContain('[DONE]');
    expect(json).toMatchObject({ status: 200, broke: 'ECONNRESET' });
    expect(json.body.length).toBeGreaterThan(10);
  });

  it('malformed: JSON that does not parse, otherwise a whole answer', async () => {
    const [stream, json] = await both('malformed');
    expect(stream.broke).toBeNull();
    expect(stream.body).toMatch(/\[DONE\]\n\n$/);
    expect(() => events(stream.body)).toThrow(SyntaxError);
    expect(() => JSON.parse(json.body)).toThrow(SyntaxError);
    expect(json).toMatchObject({ status: 200, broke: null });
  });

  it('stream-error: 200, and the error inside', async () => {
    const [stream, json] = await both('stream-error');
    expect(stream).toMatchObject({ status: 200, broke: null });
    expect(events(stream.body).at(-2)).toMatchObject({ error: { code: 500 } });
    expect(json.status).toBe(200);
    expect(JSON.parse(json.body)).toMatchObject({ error: { code: 500 } });
  });

  it('empty: a proper end and no tokens', async () => {
    const [stream, json] = await both('empty');
    const all = events(stream.body);
    expect(all.map((event) => event.choices?.[0]?.delta ?? event)).toEqual([
      { role: 'assistant', content: '' },
      {},
      '[DONE]',
    ]);
    expect(JSON.parse(json.body)).toMatchObject({
      choices: [{ message: { content: '' } }],
      usage: { completion_tokens: 0 },
    });
  });

  it('html: a web page with status 200', async () => {
    for (const heard of await both('html')) {
      expect(heard.status).toBe(200);
      expect(heard.headers['content-type']).toMatch(/^text\/html/);
    }
  });

  it.each(['429', '500', '503'] as const)('%s', async (name) => {
    for (const heard of await both(name)) {
      expect(heard.status).toBe(Number(name));
      expect(JSON.parse(heard.body).error.code).toBe(Number(name));
      expect(heard.headers['retry-after']).toBe(name === '429' ? '1' : undefined);
    }
  });

  it('runaway: eight times max_tokens', async () => {
    const [stream, json] = await both('runaway');
    expect(events(stream.body)).toHaveLength(1 + 240 + 2);
    expect(JSON.parse(json.body).usage.completion_tokens).toBe(240);
  });

  it('slow-start and drip: the whole answer in the end', async () => {
    for (const name of ['slow-start', 'drip'] as const) {
      const [stream, json] = await both(name);
      expect(events(stream.body)).toHaveLength(1 + 30 + 2);
      expect(JSON.parse(json.body).usage.completion_tokens).toBe(30);
    }
  });

  it('drip and slow-start hold back what the stamps say they hold back', async () => {
    const slow = { ...profile, cost: { ...profile.cost, aMs: 10 } };
    const stampsOf = async (name: Fault['name'], speed: number) => {
      const engine = await start({ faults: [{ name, probability: 1 }], stamp: true, speed, profile: slow });
      const begun = process.hrtime.bigint();
      const heard = await call(engine, '/v1/chat/completions', chat({ stream: true, max_tokens: 5, ignore_eos: true }));
      return events(heard.body)
        .slice(0, 6)
        .map((event) => Number(BigInt(event.emit_ns) - begun) / 1e6);
    };
    // Two simulated seconds at speed 20 are 100 ms.
    expect((await stampsOf('slow-start', 20))[1]).toBeGreaterThanOrEqual(99);
    // Four steps of 10.1 ms at twenty times their length make 808 ms, counted from before the request was sent. On a busy machine steps
    // come late and then close together, which shortens the gaps that are stretched: it is tried until they came in time.
    let lastMs = 0;
    for (let tries = 0; tries < 10 && lastMs < 807; tries++) lastMs = (await stampsOf('drip', 1))[5]!;
    expect(lastMs).toBeGreaterThanOrEqual(807);
  });

  it('stall: silent for good, half of them before any output, and the slot is free again', async () => {
    const engine = await start({ faults: [{ name: 'stall', probability: 1 }], speed: 1000, seed: 5 });
    const pending = Array.from({ length: 12 }, () => {
      let soFar = '';
      const onRead = (text: string): void => {
        soFar = text;
      };
      void call(engine, '/v1/chat/completions', streamed, { onRead });
      return () => soFar;
    });
    await expect.poll(() => engine.stats().finished.abort, { interval: 5, timeout: 120_000 }).toBe(12);
    expect(engine.stats().counters).toMatchObject({ running: 0, waiting: 0, kvUsedBlocks: 0 });
    await expect
      .poll(() => pending.filter((read) => read().includes('"content"')).length, { interval: 5, timeout: 120_000 })
      .toBeGreaterThan(2);
    const silent = pending.filter((read) => read() === '').length;
    expect(silent).toBeGreaterThan(2);
    expect(pending.every((read) => !read().includes('[DONE]'))).toBe(true);
  });

  it('only the share asked for has them, and stats count them exactly', async () => {
    const engine = await start({ faults: [{ name: '500', probability: 0.3 }], speed: 1000 });
    const heard = await Promise.all(
      Array.from({ length: 60 }, () => call(engine, '/v1/chat/completions', chat({ max_tokens: 2 }))),
    );
    const failed = heard.filter((one) => one.status === 500).length;
    expect(failed).toBeGreaterThan(5);
    expect(engine.stats().byFault['500']).toBe(failed);
    expect(heard.filter((one) => one.status === 200)).toHaveLength(60 - failed);
  });
});

describe('what went wrong in published benchmarks', () => {
  it('stuck-request: the second request gets no answer, the others do', async () => {
    const engine = await start({ simFaults: [{ name: 'stuck-request', request: 2 }] });
    const ask = () => call(engine, '/v1/chat/completions', chat({ max_tokens: 3, stream: true }));
    expect((await ask()).broke).toBeNull();
    void ask().catch(() => {});
    expect((await ask()).body).toContain('[DONE]');
    expect(engine.stats().byFault.stall).toBe(1);
  });

  it('runaway-generation: the second answer has eight times its limit', async () => {
    const engine = await start({ simFaults: [{ name: 'runaway-generation', request: 2 }] });
    const lengths: number[] = [];
    for (let i = 0; i < 3; i++) {
      const { body } = await call(engine, '/v1/chat/completions', chat({ max_tokens: 5 }));
      lengths.push(JSON.parse(body).usage.completion_tokens);
    }
    expect(lengths).toEqual([5, 40, 5]);
  });

  it('cold-start and decode-starvation reach the engine core', async () => {
    const quick = { ...profile, cost: { ...profile.cost, aMs: 1 } };
    const ask = async (simFaults: readonly SimFault[]): Promise<number> => {
      const engine = await start({ profile: quick, simFaults });
      await Promise.all([1, 2].map(() => call(engine, '/v1/chat/completions', chat({ max_tokens: 8, stream: true }))));
      const { busyMs, stepsTotal } = engine.stats().counters;
      return busyMs / stepsTotal;
    };
    const usual = await ask([]);
    expect(await ask([{ name: 'cold-start', request: 1 }])).toBeGreaterThan(10 * usual);
    // Two answers of eight tokens, decoded one after the other: seven steps each, where together they need seven.
    const engine = await start({ profile: quick, simFaults: [{ name: 'decode-starvation', request: 1 }] });
    await Promise.all([1, 2].map(() => call(engine, '/v1/chat/completions', chat({ max_tokens: 8, stream: true }))));
    expect(engine.stats().counters.stepsTotal).toBeGreaterThanOrEqual(16);
  });
});
