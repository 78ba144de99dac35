import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { contentDecoder } from './content-decoder.ts';

/** Everything that one decoder tells. */
async function unpack(coding: string, reads: readonly Uint8Array[], most = Infinity) {
  const told: { text: string; atMs: number }[] = [];
  let bytes = 0;
  let why: string | null = null;
  await new Promise<void>((resolve) => {
    const decoder = contentDecoder(coding, {
      decoded: (piece, atMs) => {
        bytes += piece.length;
        if (bytes <= 1000) told.push({ text: Buffer.from(piece).toString(), atMs });
        if (bytes <= most) return;
        decoder.close();
        resolve();
      },
      undecodable: (words) => {
        why = words;
        resolve();
      },
    })!;
    reads.forEach((read, i) => decoder.push(read, i));
    decoder.end(resolve);
  });
  return { told, bytes, why };
}

test('what comes out is told with the time of the read it came in, wherever the packed bytes are cut', async () => {
  const packed = gzipSync('data: a\n\n'.repeat(50));
  const cuts = Array.from({ length: packed.length }, (_, i) => packed.subarray(i, i + 1));
  const { told, why } = await unpack('gzip', cuts);
  expect(told.map(({ text }) => text).join('')).toBe('data: a\n\n'.repeat(50));
  expect(told.map(({ atMs }) => atMs)).toEqual(told.map(({ atMs }) => atMs).toSorted((a, b) => a - b));
  expect(told.at(-1)!.atMs).toBeGreaterThan(10);
  expect(why).toBe(null);
});

test('who gives up in the midst of a bomb hears no more of it, and its rest is not unpacked', async () => {
  const bomb = gzipSync(Buffer.alloc(200_000_000));
  expect((await unpack('gzip', [bomb], 1_000_000)).bytes).toBeLessThan(1_100_000);
  // RFC 8878: a frame without a size, then blocks of one byte repeated 128 Ki times, four bytes each.
  const block = Buffer.from(
    [(131_072 << 3) | 2, (131_072 << 3) >> 8, (131_072 << 3) >> 16, 0].map((byte) => byte & 255),
  );
  const frame = Buffer.concat([
    Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38]),
    ...Array.from({ length: 15_000 }, () => block),
  ]);
  expect((await unpack('zstd', [frame], 1_000_000)).bytes).toBeLessThan(1_300_000);
});

test('a zstd answer that asks for more than the 8 MiB of RFC 9659 is refused, in whichever frame, before memory is taken', async () => {
  const block = Buffer.from([(3 << 3) | 1, 0, 0, ...Buffer.from('a\n\n')]);
  const frame = (windowByte: number) => Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, windowByte]), block]);
  // Exponents 13 and 21: 8 MiB and 2 GiB.
  expect((await unpack('zstd', [frame(13 << 3)])).told.map(({ text }) => text)).toEqual(['a\n\n']);
  expect((await unpack('zstd', [frame((13 << 3) | 1)])).why).toMatch(/a window of \d+ bytes/);
  const { told, why } = await unpack('zstd', [Buffer.concat([frame(0), frame(21 << 3)])]);
  expect(told.map(({ text }) => text)).toEqual(['a\n\n']);
  expect(why).toBe('a window of 2147483648 bytes');
});

test('an answer that is cut, or is nothing packed, is told in the words of its library', async () => {
  const packed = gzipSync('data: a\n\n');
  expect((await unpack('gzip', [packed.subarray(0, -9)])).why).toMatch(/unexpected end/);
  expect((await unpack('gzip', [Buffer.from('data: a')])).why).toMatch(/incorrect header/);
  expect((await unpack('zstd', [Buffer.from('data: a')])).why).not.toBe(null);
  expect(contentDecoder('compress', { decoded: () => {}, undecodable: () => {} })).toBe(null);
});
