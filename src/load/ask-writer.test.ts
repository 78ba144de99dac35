import { expect, test } from 'vitest';
import type { Prompt } from '../core/index.ts';
import { AskWriter } from './ask-writer.ts';

const prompt = (id: string): Prompt => ({
  id,
  messages: [{ role: 'user', content: id }],
  text: null,
  inputTokens: null,
  maxTokens: null,
  labels: {},
});
const generation = {
  stream: true,
  maxTokens: 1,
  minTokens: null,
  temperature: null,
  ignoreEos: false,
  stop: [],
  body: {},
};

/** A writer over a line of prompts, and what was done in which order. */
function writerOf(find: (number: number) => Prompt | null | Promise<Prompt | null>) {
  const done: string[] = [];
  const writer = new AskWriter({
    prompt: (number) => (done.push(`read ${number}`), find(number)),
    ask: (seq, read) => ({ seq, prompt: read, generation }),
    encode: ({ seq, prompt: { id } }) => (done.push(`write ${seq}`), `${seq} ${id}`),
  });
  return { writer, done };
}

test('an ask that was written ahead is neither read nor written again when it is taken', async () => {
  const { writer, done } = writerOf((number) => prompt(`p${number}`));
  writer.writeAhead(0);
  writer.writeAhead(0);
  expect(done).toEqual(['read 0', 'write 0']);
  expect(await writer.take(0)).toMatchObject({ text: '0 p0', inputChars: 2, ask: { seq: 0 } });
  expect(await writer.take(1)).toMatchObject({ text: '1 p1' });
  expect(done).toEqual(['read 0', 'write 0', 'read 1', 'write 1']);
});

test('the same number taken twice is written twice: what was kept ahead is gone with the first', async () => {
  const { writer, done } = writerOf((number) => prompt(`p${number}`));
  writer.writeAhead(3);
  await writer.take(3);
  await writer.take(3);
  expect(done).toEqual(['read 3', 'write 3', 'read 3', 'write 3']);
});

test('a turn of a conversation is written from its own prompt, the workload is not asked', async () => {
  const { writer, done } = writerOf(() => null);
  writer.writeAhead(5, prompt('turn'));
  expect(await writer.take(5, prompt('turn'))).toMatchObject({ text: '5 turn' });
  expect(done).toEqual(['write 5']);
});

test('a prompt that cannot be read is told to whoever takes its ask, and to nobody before', async () => {
  const { writer } = writerOf(() => Promise.reject(new Error('the disk is gone')));
  writer.writeAhead(0);
  await new Promise((resolve) => setTimeout(resolve, 5));
  await expect(Promise.resolve(writer.take(0))).rejects.toThrow('the disk is gone');
});
