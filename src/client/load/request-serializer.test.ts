import { expect, test, vi } from 'vitest';
import type { Prompt } from '../../core/index.ts';
import { RequestSerializer } from './request-serializer.ts';

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

const soon = 0;
const later = 1000;
const aWhile = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 10));

/** A writer over a line of prompts, and what was done in which order. */
function writerOf(find: (number: number) => Prompt | null | Promise<Prompt | null>) {
  const done: string[] = [];
  const writer = new RequestSerializer({
    prompt: (number) => (done.push(`read ${number}`), find(number)),
    ask: (seq, read) => ({ seq, prompt: read, generation }),
    encode: ({ seq, prompt: { id } }) => (done.push(`write ${seq}`), `${seq} ${id}`),
  });
  return { writer, done };
}

test('an ask that was written ahead is neither read nor written again when it is taken', async () => {
  const { writer, done } = writerOf((number) => prompt(`p${number}`));
  writer.writeAhead(0, soon);
  writer.writeAhead(0, soon);
  expect(done).toEqual(['read 0', 'write 0']);
  expect(await writer.take(0)).toMatchObject({ text: '0 p0', inputChars: 2, ask: { seq: 0 } });
  expect(await writer.take(1)).toMatchObject({ text: '1 p1' });
  expect(done).toEqual(['read 0', 'write 0', 'read 1', 'write 1']);
});

test('the same number taken twice is written twice: what was kept ahead is gone with the first', async () => {
  const { writer, done } = writerOf((number) => prompt(`p${number}`));
  writer.writeAhead(3, soon);
  await writer.take(3);
  await writer.take(3);
  expect(done).toEqual(['read 3', 'write 3', 'read 3', 'write 3']);
});

test('a turn of a conversation is written from its own prompt, the workload is not asked', async () => {
  const { writer, done } = writerOf(() => null);
  writer.writeAhead(5, soon, prompt('turn'));
  expect(await writer.take(5, prompt('turn'))).toMatchObject({ text: '5 turn' });
  expect(done).toEqual(['write 5']);
});

test('with time to spare nothing is written in the round of the send, and once all the same', async () => {
  const { writer, done } = writerOf((number) => prompt(`p${number}`));
  writer.writeAhead(0, later);
  writer.writeAhead(0, later);
  await new Promise((resolve) => setImmediate(resolve));
  expect(done).toEqual([]);
  await vi.waitFor(() => expect(done).toEqual(['read 0', 'write 0']));
  expect(await writer.take(0)).toMatchObject({ text: '0 p0' });
  expect(done).toEqual(['read 0', 'write 0']);
});

test('one that is taken before it was written, or instead of which another is, leaves nothing to be written', async () => {
  const { writer, done } = writerOf((number) => prompt(`p${number}`));
  writer.writeAhead(0, later);
  expect(writer.take(0)).toMatchObject({ text: '0 p0' });
  writer.writeAhead(1, later);
  writer.writeAhead(2, soon);
  await aWhile();
  expect(done).toEqual(['read 0', 'write 0', 'read 2', 'write 2']);
});

test.each([soon, later])(
  'a prompt that cannot be read is told to whoever takes its ask, and to nobody before',
  async (inMs) => {
    const gone = new Error('the disk is gone');
    const throws = (): never => {
      throw gone;
    };
    for (const find of [() => Promise.reject(gone), throws]) {
      const { writer } = writerOf(find);
      writer.writeAhead(0, inMs);
      await aWhile();
      await expect(async () => writer.take(0)).rejects.toThrow('the disk is gone');
    }
  },
);
