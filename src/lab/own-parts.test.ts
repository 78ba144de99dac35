import { describe, expect, test } from 'vitest';
import { UserError } from '../core/index.ts';
import { listedDataset } from '../inputs/dataset/index.ts';
import { protocols } from '../client/protocol/index.ts';
import { checkOwnParts, openOwn } from './own-parts.ts';
import type { OwnParts } from './own-parts.ts';

const url = 'http://127.0.0.1:1';
const dataset = listedDataset('two', ['a', 'b']);

function refused(own: OwnParts, settings: object, isSimulated = false): (string | undefined)[] {
  try {
    checkOwnParts(own, { url, ...settings }, isSimulated);
    return [];
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return error.mistakes.map(({ place }) => place?.field);
  }
}

describe('what a program brings of its own', () => {
  test('is refused, all at once, where settings ask for other threads or machines, or say the same', () => {
    const protocol = protocols.custom;
    expect(refused({ dataset }, { workers: 'redis://127.0.0.1:1', threads: 4 })).toEqual(['workers', 'threads']);
    expect(refused({ dataset, protocol }, { dataset: 'random', api: 'openai-chat' })).toEqual(['dataset', 'api']);
    expect(refused({ protocol }, {}, true)).toEqual(['protocol']);
    expect(refused({ dataset, gapsMs: [0, 1] }, { grid: [], find: 'max' })).toEqual(['grid', 'gapsMs']);
    expect(refused({ gapsMs: [0, -1] }, {})).toEqual(['gapsMs']);
  });

  test('goes with one thread, with threads that are chosen by the load, and in virtual time', () => {
    expect(refused({ dataset, protocol: protocols.custom }, { threads: 1 })).toEqual([]);
    expect(refused({ dataset }, { threads: 'auto' }, true)).toEqual([]);
    expect(refused({ gapsMs: [0, 10] }, { threads: 4 })).toEqual([]);
  });

  test('times say how many requests there are, unless fewer are asked for', async () => {
    const open = openOwn({ dataset, gapsMs: [0, 5, 5] }, false)!;
    expect((await open({}, 1)).settings.requests).toBe(3);
    const two = await open({ requests: 2 }, 1);
    expect([two.settings.requests, two.gapsMs, two.reopenable]).toEqual([2, [0, 5], false]);
  });

  test('made prompts at times of a program are new for every server, and the same in virtual time', async () => {
    const seeds = async (isSimulated: boolean): Promise<unknown> =>
      (await openOwn({ gapsMs: [0] }, isSimulated)!({ inputTokens: { law: 'fixed', tokens: 4 } }, 1)).settings
        .promptSeed;
    expect(await seeds(true)).toBeUndefined();
    expect(await seeds(false)).toEqual(expect.any(Number));
  });

  test('prompts at hand are asked in their order and again, and say so', async () => {
    const asked = dataset.workload(1);
    const texts = [asked.next(), asked.next(), asked.next()].map((prompt) => (prompt as { text: string }).text);
    expect(texts).toEqual(['b', 'a', 'b']);
    expect(dataset.facts({ offset: 0, count: 3 }).cycled).toBe(true);
    expect(dataset.facts({ offset: 0, count: 2 }).cycled).toBe(false);
    expect(dataset.facts({ offset: 0, count: 2 }).hash).not.toBe(
      listedDataset('two', ['a', 'c']).facts({ offset: 0, count: 2 }).hash,
    );
    expect(() => listedDataset('none', [])).toThrow(UserError);
  });
});
