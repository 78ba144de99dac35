import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDataset } from './index.ts';
import type { Prompt } from '../../core/index.ts';
import type { DatasetOptions } from './index.ts';

const fixtures = join(import.meta.dirname, '../../../test/fixtures/dataset');
const file = (name: string): string => join(fixtures, 'published', name);

async function promptsOf(spec: string, n: number, options: DatasetOptions = {}): Promise<Prompt[]> {
  const workload = (await openDataset(spec, options)).workload(0);
  const prompts: Prompt[] = [];
  while (prompts.length < n) prompts.push((await workload.next())!);
  return prompts;
}
const kindOf = async (name: string, options: DatasetOptions = {}): Promise<string> =>
  (await openDataset(file(name), options)).facts({ offset: 0, count: null }).kind;

describe('rows as their authors publish them (test/fixtures/dataset/published)', () => {
  it('are told apart by what they hold', async () => {
    expect(await kindOf('mooncake-conversation.jsonl')).toBe('mooncake');
    expect(await kindOf('azure-conv.csv')).toBe('azure');
    expect(await kindOf('burstgpt.csv')).toBe('burstgpt');
    expect(await kindOf('gsm8k-test.jsonl')).toBe('gsm8k');
    expect(await kindOf('sharegpt-fastchat.json', { tokenizer: join(fixtures, 'tiny-bpe') })).toBe('sharegpt');
  });

  it('Mooncake: lengths and times are kept, and the block that all share is the same text', async () => {
    const dataset = await openDataset(file('mooncake-conversation.jsonl'));
    expect(await dataset.gapsMs!({ offset: 0, count: null })).toEqual([0, 0, 3000, 0, 2999, 3001]);
    const prompts = await promptsOf(file('mooncake-conversation.jsonl'), 6);
    expect(prompts.map(({ inputTokens, maxTokens }) => [inputTokens, maxTokens])).toEqual([
      [6758, 500],
      [7322, 490],
      [2012, 354],
      [915, 355],
      [1053, 26],
      [8772, 1],
    ]);
    const firstBlocks = prompts.map(({ text }) => text!.split(' ').slice(0, 512).join(' '));
    expect(new Set(firstBlocks).size).toBe(1);
    expect(new Set(prompts.map(({ text }) => text)).size).toBe(6);
  });

  it('Azure: seven decimals of a second', async () => {
    const dataset = await openDataset(file('azure-conv.csv'));
    const gaps = await dataset.gapsMs!({ offset: 0, count: null });
    const expected = [0, 67.665, 120.55, 78.437, 64_272.262];
    for (const [i, gap] of gaps.entries()) expect(gap).toBeCloseTo(expected[i]!, 3);
    const prompts = await promptsOf(file('azure-conv.csv'), 5);
    expect(prompts.map(({ inputTokens, maxTokens }) => [inputTokens, maxTokens]).at(-1)).toEqual([7, 145]);
  });

  it('BurstGPT: seconds, and the model that was asked', async () => {
    const dataset = await openDataset(file('burstgpt.csv'));
    expect(await dataset.gapsMs!({ offset: 0, count: null })).toEqual([0, 40_000, 73_000]);
    const prompts = await promptsOf(file('burstgpt.csv'), 3);
    expect(prompts.map(({ labels }) => labels['model'])).toEqual(['ChatGPT', 'ChatGPT', 'GPT-4']);
  });

  it('GSM8K: the question is asked, the number behind the hashes is the answer', async () => {
    const prompts = await promptsOf(file('gsm8k-test.jsonl'), 3);
    expect(prompts.map(({ labels }) => labels['answer'])).toEqual(['18', '3', '70000']);
    expect(prompts[1]!.text).toMatch(/^A robe takes 2 bolts/);
  });

  it('ShareGPT: held turn by turn, each record as many turns as the user speaks', async () => {
    const prompts = await promptsOf(`sharegpt-chat:${file('sharegpt-fastchat.json')}`, 3);
    expect(prompts.map(({ turns }) => turns)).toEqual([2, 1, 3]);
    expect(prompts[2]!.messages).toEqual([{ role: 'user', content: 'What is up?' }]);
  });
});

describe('conversations', () => {
  it('are cycled only where their turns run out, and slices are counted in turns', async () => {
    const dataset = await openDataset(`sharegpt-chat:${file('sharegpt-fastchat.json')}`);
    await dataset.check({ offset: 0, count: 6 });
    expect(dataset.facts({ offset: 0, count: 6 })).toMatchObject({ cycled: false });
    await dataset.check({ offset: 0, count: 7 });
    expect(dataset.facts({ offset: 0, count: 7 })).toMatchObject({ items: 3, asks: 6, cycled: true });
    // 2 + 1 turns, and the third conversation for the fourth.
    expect(await dataset.promptsWithin!(0, 3)).toBe(2);
    expect(await dataset.promptsWithin!(0, 4)).toBe(3);
    expect(await dataset.promptsWithin!(1, 5)).toBe(3);
  });

  it('have answer lengths in every turn', async () => {
    const [first] = await promptsOf(`sharegpt-chat:${file('sharegpt-fastchat.json')}`, 1, {
      output: { law: 'fixed', tokens: 7 },
    });
    const second = first!.follow!({ text: 'a', reasoning: 'b', outputTokens: 1 });
    expect([first!.maxTokens, second!.maxTokens]).toEqual([7, 7]);
    expect(second!.messages.map(({ content }) => content)).toEqual(['Are you curie?', 'a', 'Have a nice day!']);
  });
});
