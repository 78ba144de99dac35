import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hiddenValue, keptPlan, keptShell, keptUrl, makeScrub, secretValues } from './index.ts';
import type { RunPlan } from './index.ts';

const key = 'sk-live-4f9a8b7c6d5e';
const wrap = (words: string): string => `say ${words} again`;

describe('a server that gives a secret back', () => {
  test.each([
    ['as it stands', key],
    ['with its scheme', `Bearer ${key}`],
    ['in an address', `http://x/?k=${encodeURIComponent(key)}`],
    ['twice', `${key}${key}`],
  ])('%s is not repeated', (_, words) => {
    const scrub = makeScrub(secretValues({ authorization: `Bearer ${key}` }));
    expect(scrub(wrap(words))).not.toContain(key.slice(3));
  });

  test('a name and password are known in every form they are sent in', () => {
    const pair = 'ann:pa"ss/word';
    const basic = `Basic ${btoa(pair)}`;
    const scrub = makeScrub(secretValues({ 'proxy-authorization': basic }));
    for (const words of [basic, btoa(pair), pair, 'pa"ss/word', 'pa\\"ss/word', encodeURIComponent('pa"ss/word')])
      expect(scrub(wrap(words))).toMatch(/^say (?:Basic )?\(hidden\) again$/);
  });

  test('fields of the body and words of the address count too, whatever they stand in', () => {
    const body = { extra: [{ api_key: 'body-secret' }], max_tokens: 5, prompt: 'not a secret' };
    const scrub = makeScrub(secretValues({ 'x-other': 'head-secret' }, body, ['http://h/v1?api-key=query-secret']));
    expect(scrub('body-secret head-secret query-secret not a secret')).toBe('(hidden) (hidden) (hidden) not a secret');
  });

  test('a text that was cut anywhere within a secret ends without its beginning', () => {
    const scrub = makeScrub(secretValues({ authorization: `Bearer ${key}` }));
    for (let cut = 6; cut < key.length; cut++) expect(scrub(`denied: ${key.slice(0, cut)}`)).toBe('denied: (hidden)');
  });

  test('whatever stands around it and however often, nothing of it is left; other words stay', () => {
    const scrub = makeScrub(secretValues({ 'x-api-key': key }));
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constant(key), fc.string())), (parts) => {
        const clean = scrub(`${parts.join('')}.`);
        expect(clean).not.toContain(key);
        const others = parts.filter((part) => part !== key).join('');
        if (!parts.includes(key)) expect(clean).toBe(`${others}.`);
      }),
    );
  });

  test('of a secret that holds another nothing is left, and only the beginning of one at the end of a text is one', () => {
    const scrub = makeScrub(['abcdef', 'abcdefghijkl']);
    expect(scrub('x abcdefghijkl y')).toBe(`x ${hiddenValue} y`);
    expect(scrub('x bcdefghi')).toBe('x bcdefghi');
    expect(scrub('x abcdefghi')).toBe(`x ${hiddenValue}`);
  });

  test('words that anybody says are no secrets: nothing shorter than four letters', () => {
    expect(secretValues({ 'x-api-key': 'abc' })).toEqual([]);
    expect(secretValues({ 'x-api-key': 'abcd' })).toEqual(['abcd']);
    expect(secretValues({ accept: 'text/event-stream' })).toEqual([]);
  });
});

describe('a plan that is kept', () => {
  const plan = (target: object, body: Record<string, unknown>): RunPlan =>
    ({ target: { url: 'http://h/v1', headers: {}, ...target }, generation: { body } }) as unknown as RunPlan;

  test('holds headers and fields by name, and only values that cannot be a secret', () => {
    const headers = { 'x-other': 'sesame', accept: 'text/event-stream' };
    const body = {
      top_p: 0.9,
      api_key: 'sesame',
      user: 'sesame',
      pin: 4711,
      nested: { logprobs: true, deep: [{ password: 'sesame' }, 'sesame', null] },
      stop_token_ids: [1, 2],
    };
    const kept = keptPlan(plan({ headers }, body));
    expect(JSON.stringify(kept)).not.toMatch(/sesame|4711/);
    expect(kept.target.headers).toEqual({ 'x-other': '(hidden)', accept: 'text/event-stream' });
    expect(kept.generation.body).toEqual({
      top_p: 0.9,
      api_key: '(hidden)',
      user: '(hidden)',
      pin: '(hidden)',
      nested: { logprobs: true, deep: [{ password: '(hidden)' }, '(hidden)', null] },
      stop_token_ids: [1, 2],
    });
  });

  test('keeps the places of a described wire, which are no values', () => {
    const wire = { body: { prompt: '{prompt}', auth: 'sesame', n: 1 } };
    expect(keptPlan(plan({ wire }, {})).target.wire?.body).toEqual({ prompt: '{prompt}', auth: '(hidden)', n: 1 });
  });

  test('addresses lose user, password and keys, and nothing else', () => {
    expect(keptUrl('http://ann:pass@h:1/v1?api-version=2&api-key=sesame&sig=x')).toBe(
      'http://h:1/v1?api-version=2&api-key=%28hidden%29&sig=%28hidden%29',
    );
    expect(keptUrl('http://h/v1?')).toBe('http://h/v1?');
    expect(keptUrl('not an address')).toBe('not an address');
  });
});

test.each([
  ['vllm serve m --api-key sesame --port 1', 'vllm serve m --api-key (hidden) --port 1'],
  ["serve --api-key='ses ame' --max-num-seqs 8", 'serve --api-key=(hidden) --max-num-seqs 8'],
  ['HF_TOKEN=sesame VLLM_API_KEY="sesame" serve', 'HF_TOKEN=(hidden) VLLM_API_KEY=(hidden) serve'],
  ['serve --api-key $KEY --api-key "$KEY"', 'serve --api-key $KEY --api-key "$KEY"'],
  ['serve --max-num-batched-tokens 8192 --tokenizer x', 'serve --max-num-batched-tokens 8192 --tokenizer x'],
])('the command %j is kept as %j', (typed, kept) => {
  expect(keptShell(typed)).toBe(kept);
});
