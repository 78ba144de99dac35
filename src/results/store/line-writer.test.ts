import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { UserError } from '../../core/index.ts';
import { flushEveryMs, openLineWriter } from './line-writer.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dyno-lines-'));
});
afterEach(() => rm(dir, { recursive: true }));

describe('a line writer', () => {
  it('has every line on disk at most a quarter of a second after it was appended', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const file = join(dir, 'lines');
      const writer = await openLineWriter(file);
      await writer.append('one');
      await writer.append('two');
      vi.advanceTimersByTime(flushEveryMs);
      await vi.waitFor(async () => expect(await readFile(file, 'utf8')).toBe('one\ntwo\n'), {
        interval: 1,
        timeout: 60_000,
      });
      await writer.append('three');
      await writer.close();
      expect(await readFile(file, 'utf8')).toBe('one\ntwo\nthree\n');
    } finally {
      vi.useRealTimers();
    }
  });

  it('writes lines of any length and any letters, in order', async () => {
    const lines = ['short', '长'.repeat(600_000), 'x'.repeat(3_000_000), '', '😀 end'];
    const file = join(dir, 'lines');
    const writer = await openLineWriter(file);
    for (const line of lines) await writer.append(line);
    await writer.close();
    expect(await readFile(file, 'utf8')).toBe(lines.map((line) => `${line}\n`).join(''));
  });

  it('tells a full disk in words, from append when a lot is waiting and from close in any case', async () => {
    // /dev/full answers every write with ENOSPC.
    const writer = await openLineWriter('/dev/full', 'a');
    await writer.append('short');
    await expect(writer.append('x'.repeat(1 << 21))).rejects.toThrow(/disk is full/);
    expect(() => writer.append('more')).toThrow(UserError);
    await expect(writer.close()).rejects.toThrow(/disk is full/);
    const other = await openLineWriter('/dev/full', 'a');
    await other.append('short');
    await expect(other.close()).rejects.toThrow(/disk is full/);
  });
});
