import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UserError } from '../../core/index.ts';
import type { Mistake, Prompt } from '../../core/index.ts';
import { openDataset } from './index.ts';
import type { DatasetOptions } from './index.ts';

const tokenizer = join(import.meta.dirname, '../../../test/fixtures/dataset/tiny-bpe');
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'llmdyno-formats-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

let made = 0;
function fileOf(content: string, name = `${(made += 1)}.json`): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}
const linesOf = (...records: unknown[]): string => fileOf(records.map((record) => JSON.stringify(record)).join('\n'));

async function promptsOf(spec: string, n: number, options: DatasetOptions = {}): Promise<Prompt[]> {
  const workload = (await openDataset(spec, options)).workload(0);
  const prompts: Prompt[] = [];
  while (prompts.length < n) prompts.push((await workload.next())!);
  return prompts;
}
async function mistakesOf(spec: string, options: DatasetOptions = {}): Promise<readonly Mistake[]> {
  try {
    await (await openDataset(spec, options)).check({ offset: 0, count: null });
  } catch (error) {
    if (error instanceof UserError) return error.mistakes;
    throw error;
  }
  return [];
}

describe('sharegpt by the rules of vLLM', () => {
  // Under the tiny tokenizer k exclamation marks are k tokens, and BOS makes them k + 1 (counted by the Rust library).
  const of = (tokens: number): string => '!'.repeat(tokens - 1);
  const pair = (id: string, prompt: number, answer: number) => ({
    id,
    conversations: [
      { from: 'human', value: of(prompt) },
      { from: 'gpt', value: of(answer) },
    ],
  });
  const crafted = [
    { id: 'no turns', conversations: [] },
    { id: 'one turn', conversations: [{ from: 'human', value: of(10) }] },
    pair('prompt 3', 3, 10),
    pair('PROMPT 4', 4, 10),
    pair('answer 3', 10, 3),
    pair('ANSWER 4', 10, 4),
    pair('PROMPT 1024', 1024, 10),
    pair('prompt 1025', 1025, 10),
    pair('TOTAL 2048', 1024, 1024),
    pair('total 2049', 1024, 1025),
    pair('TOTAL 2048, SHORT PROMPT', 4, 2044),
    pair('total 2049, short prompt', 4, 2045),
    { id: 'THREE TURNS', conversations: [...pair('', 20, 30).conversations, { from: 'human', value: 'more' }] },
    {
      id: 'MODEL FIRST',
      conversations: [
        { from: 'gpt', value: of(7) },
        { from: 'human', value: of(8) },
      ],
    },
  ];
  // Upper-case names are the ones the rules take, with the lengths they must have.
  const expected = [
    [4, 10],
    [10, 4],
    [1024, 10],
    [1024, 1024],
    [4, 2044],
    [20, 30],
    [7, 8],
  ];

  it.each([
    ['one JSON array', () => fileOf(JSON.stringify(crafted, null, 2))],
    ['one JSON array on one line', () => fileOf(JSON.stringify(crafted))],
    ['one object per line', () => linesOf(...crafted)],
  ])('takes exactly the accepted ones, as %s', async (_, file) => {
    const prompts = await promptsOf(`sharegpt:${file()}`, expected.length + 1, { tokenizer });
    expect(prompts.slice(0, -1).map((prompt) => [prompt.inputTokens, prompt.maxTokens])).toEqual(expected);
    expect(prompts.at(-1)!.id).toBe(prompts[0]!.id);
  });

  it('does not ask for 4 answer tokens when the answer length is given, but keeps the total', async () => {
    const options = { tokenizer, output: { law: 'fixed', tokens: 1024 } } as const;
    const prompts = await promptsOf(`sharegpt:${linesOf(...crafted)}`, 7, options);
    expect(prompts.map((prompt) => prompt.inputTokens)).toEqual([4, 10, 10, 1024, 1024, 1024, 4]);
    expect(prompts.every((prompt) => prompt.maxTokens === 1024)).toBe(true);
  });

  it('says how many were left out and why', async () => {
    const dataset = await openDataset(`sharegpt:${linesOf(...crafted)}`, { tokenizer });
    const skips: string[] = [];
    for await (const one of dataset.survey!()) if ('skip' in one) skips.push(one.skip.en);
    expect(skips).toEqual([
      'fewer than two turns',
      'fewer than two turns',
      'prompt shorter than 4 tokens',
      'answer shorter than 4 tokens',
      'prompt longer than 1024 tokens',
      'together longer than 2048 tokens',
      'together longer than 2048 tokens',
    ]);
  });

  it('cannot be had without a tokenizer, and tells a record that is none', async () => {
    const file = fileOf('[\n{"conversations": "x"},\n{"id": 2}\n]');
    expect((await mistakesOf(`sharegpt:${file}`))[0]!.code).toBe('tokenizer-needed');
    const mistakes = await mistakesOf(`sharegpt:${file}`, { tokenizer });
    expect(mistakes.map(({ code, place }) => [code, place?.line])).toEqual([
      ['dataset-wrong-shape', 2],
      ['dataset-wrong-shape', 3],
    ]);
  });
});

describe('conversations', () => {
  const talk = {
    conversations: [
      { from: 'system', value: 'Be short.' },
      { from: 'human', value: 'One?' },
      { from: 'gpt', value: 'reference, never sent' },
      { from: 'human', value: 'Two?' },
    ],
  };
  const answer = { text: 'A1', reasoning: 'hm', outputTokens: 3 };

  it("follow with the server's own answer in the history, without its reasoning", async () => {
    const [first] = await promptsOf(`sharegpt-chat:${linesOf(talk)}`, 1, { think: { law: 'fixed', ms: 250 } });
    expect(first!.messages.map(({ role, content }) => `${role}: ${String(content)}`)).toEqual([
      'system: Be short.',
      'user: One?',
    ]);
    expect(first!.labels).toEqual({ session: 'line-1', turn: '1' });
    const second = first!.follow!(answer)!;
    expect(second.messages.map(({ role, content }) => `${role}: ${String(content)}`)).toEqual([
      'system: Be short.',
      'user: One?',
      'assistant: A1',
      'user: Two?',
    ]);
    expect([second.id, second.labels['turn'], second.thinkMs]).toEqual(['line-1#2', '2', 250]);
    expect(second.follow!(answer)).toBeNull();
  });

  it('keep reasoning in the history when asked to', async () => {
    const [first] = await promptsOf(`sharegpt-chat:${linesOf(talk)}`, 1, { keepReasoning: true });
    expect(first!.follow!(answer)!.messages[2]!.content).toBe('<think>\nhm\n</think>\n\nA1');
  });
});

describe('messages, request bodies, GSM8K, LongAlpaca', () => {
  it('messages are taken as a list or under "messages", parts and all', async () => {
    const parts = [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } },
    ];
    const file = linesOf([{ role: 'user', content: 'Hi' }], {
      messages: [
        { role: 'system', content: 's' },
        { role: 'user', content: parts },
      ],
    });
    const prompts = await promptsOf(`messages:${file}`, 2);
    expect(prompts[0]!.messages).toEqual([{ role: 'user', content: 'Hi' }]);
    expect(prompts[1]!.messages[1]!.content).toEqual(parts);
    expect((await openDataset(file)).facts({ offset: 0, count: 1 }).kind).toBe('messages');
  });

  it('messages that are none are told with their line', async () => {
    const mistakes = await mistakesOf(
      `messages:${linesOf([{ role: 'user', content: 'Hi' }], [{ role: 'robot', content: 'x' }], { messages: [] }, 'x')}`,
    );
    expect(mistakes.map(({ place }) => place?.line)).toEqual([2, 3, 4]);
  });

  it('request bodies keep their fields except those of the plan', async () => {
    const body = {
      model: 'gpt-x',
      stream: false,
      temperature: 0.3,
      max_tokens: 77,
      tools: [{ type: 'function' }],
      messages: [{ role: 'user', content: 'Hi' }],
    };
    const [prompt] = await promptsOf(
      `requests:${linesOf({ custom_id: 'a', timestamp: '2026-01-01T00:00:00Z', body })}`,
      1,
    );
    expect(prompt).toMatchObject({ maxTokens: 77, body: { temperature: 0.3, tools: [{ type: 'function' }] } });
    expect(Object.keys(prompt!.body!)).toEqual(['temperature', 'tools']);
    const [plain] = await promptsOf(`requests:${linesOf({ prompt: 'Once', max_tokens: 5 })}`, 1);
    expect([plain!.text, plain!.maxTokens, plain!.body]).toEqual(['Once', 5, undefined]);
  });

  it('GSM8K carries the number behind ####, thousands commas and signs understood', async () => {
    const file = linesOf(
      { question: 'q1', answer: 'a\n#### 1,234' },
      { question: 'q2', answer: '#### -7.5' },
      { question: 'q3', answer: 'none' },
    );
    const prompts = await promptsOf(`gsm8k:${file}`, 3);
    expect(prompts.map(({ labels }) => labels)).toEqual([{ answer: '1234' }, { answer: '-7.5' }, {}]);
    expect((await openDataset(file)).facts({ offset: 0, count: 1 }).kind).toBe('gsm8k');
  });

  it('LongAlpaca is a JSON list with "instruction"', async () => {
    const file = fileOf(JSON.stringify([{ instruction: 'Read this.', output: 'x' }]));
    expect((await promptsOf(file, 1))[0]!.text).toBe('Read this.');
  });
});

describe('traces', () => {
  it('Mooncake: lengths kept, equal hashes give equal text, times become gaps', async () => {
    const file = linesOf(
      { timestamp: 1000, input_length: 1100, output_length: 52, hash_ids: [1, 2, 3] },
      { timestamp: 1000, input_length: 1030, output_length: 0, hash_ids: [1, 2, 9] },
      { timestamp: 4500, input_length: 600, output_length: 7, hash_ids: [5, 6] },
    );
    const dataset = await openDataset(file);
    const [a, b] = await promptsOf(file, 2);
    expect(await dataset.gapsMs!({ offset: 0, count: null })).toEqual([0, 0, 3500]);
    expect([a!.inputTokens, a!.maxTokens, b!.inputTokens, b!.maxTokens]).toEqual([1100, 52, 1030, 1]);
    const words = (text: string | null): string[] => text!.split(' ');
    expect([words(a!.text).length, words(b!.text).length]).toEqual([1100, 1030]);
    expect(words(a!.text).slice(0, 1024)).toEqual(words(b!.text).slice(0, 1024));
    expect(words(a!.text).slice(1024, 1030)).not.toEqual(words(b!.text).slice(1024));
  });

  it('Azure: seven decimals of a second are kept', async () => {
    const file = fileOf(
      'TIMESTAMP,ContextTokens,GeneratedTokens\r\n2023-11-16 18:17:03.9799600,4808,10\r\n2023-11-16 18:17:04.0319600,3180,8\r\n',
      'azure.csv',
    );
    const dataset = await openDataset(file);
    expect(dataset.facts({ offset: 0, count: 1 }).kind).toBe('azure');
    const gaps = await dataset.gapsMs!({ offset: 0, count: null });
    expect(gaps[0]).toBe(0);
    expect(gaps[1]).toBeCloseTo(52, 3);
    expect((await promptsOf(file, 1))[0]).toMatchObject({ inputTokens: 4808, maxTokens: 10 });
  });

  it('BurstGPT: failed requests are left out, times of the rest kept', async () => {
    const file = fileOf(
      'Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n5,ChatGPT,472,18,490,Conversation log\n45,ChatGPT,1087,0,1087,Conversation log\n118,GPT-4,417,276,693,API log\n',
      'burst.csv',
    );
    const dataset = await openDataset(file);
    expect(await dataset.gapsMs!({ offset: 0, count: null })).toEqual([0, 113_000]);
    expect(
      (await promptsOf(file, 2)).map(({ inputTokens, maxTokens, labels }) => [inputTokens, maxTokens, labels['model']]),
    ).toEqual([
      [472, 18, 'ChatGPT'],
      [417, 276, 'GPT-4'],
    ]);
  });

  it('a trace that goes back in time, or has none, is told with its line', async () => {
    const back = linesOf(
      { timestamp: 5, input_length: 1, output_length: 1 },
      { timestamp: 4, input_length: 1, output_length: 1 },
    );
    const dataset = await openDataset(`mooncake:${back}`);
    await expect(dataset.gapsMs!({ offset: 0, count: null })).rejects.toThrow(/:2: "4" is no time/);
    expect(
      (await mistakesOf(`mooncake:${linesOf({ timestamp: 'x', input_length: 1, output_length: 1 })}`))[0]!.place?.line,
    ).toBe(1);
  });
});

describe('mixes', () => {
  it('ask every part by its weight, label it, and give lengths to the made parts only', async () => {
    const file = linesOf({ question: 'from the file' });
    const prompts = await promptsOf(`mix:3*openqa:${file} + 1*random`, 400, { input: { law: 'fixed', tokens: 7 } });
    const random = prompts.filter(({ labels }) => labels['part'] === 'random');
    expect(random.every(({ inputTokens }) => inputTokens === 7)).toBe(true);
    // A quarter of 400, five standard deviations of √(400·¼·¾) = 8.7 either way.
    expect(Math.abs(random.length - 100)).toBeLessThan(44);
    expect(new Set(prompts.filter(({ labels }) => labels['part'] !== 'random').map(({ text }) => text))).toEqual(
      new Set(['from the file']),
    );
    const talk = linesOf({ conversations: ['a', 'b', 'c'].map((value) => ({ from: 'human', value })) });
    const talks = (await openDataset(`mix:1*sharegpt-chat:${talk} + 1*random`)).workload(0);
    expect(talks.conversations).toBe(true);
    let held = await talks.next();
    while (held?.turns === undefined) held = await talks.next();
    const second = held.follow!({ text: 'x', reasoning: '', outputTokens: null })!;
    expect(second.follow!({ text: 'y', reasoning: '', outputTokens: null })).toMatchObject({
      id: `0/line-1#3`,
      labels: { session: 'line-1', turn: '3', part: `sharegpt-chat:${talk}`.slice(0, 80) },
    });
    for (const bad of ['mix:0*random', 'mix:mix:random', 'mix:a*b']) expect((await mistakesOf(bad)).length).toBe(1);
  });
});

describe('a prompt longer than the model takes', () => {
  it('is told before anything is sent, with its line', async () => {
    const file = linesOf({ question: 'the man' }, { question: 'the '.repeat(300) });
    const mistakes = await mistakesOf(`openqa:${file}`, { tokenizer, contextTokens: 200 });
    expect(mistakes.map(({ code, place }) => [code, place?.line])).toEqual([['dataset-prompt-too-long', 2]]);
    expect((await mistakesOf('random', { input: { law: 'fixed', tokens: 300 }, contextTokens: 200 }))[0]!.code).toBe(
      'dataset-prompt-too-long',
    );
  });
});
