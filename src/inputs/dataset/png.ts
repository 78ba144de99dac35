import { crc32, deflateSync } from 'node:zlib';
import type { RandomStream } from '../../core/index.ts';

/** A PNG of random coloured tiles, 8 × 8 pixels each: small enough to send often, and no two alike. */
export function randomPng(width: number, height: number, chance: RandomStream): Buffer {
  const tiles = Math.ceil(width / 8);
  const rows: Buffer[] = [];
  let colours: Uint8Array = new Uint8Array(0);
  for (let y = 0; y < height; y++) {
    if (y % 8 === 0) colours = Uint8Array.from({ length: tiles * 3 }, () => chance.below(256));
    const row = Buffer.alloc(1 + width * 3);
    for (let x = 0; x < width; x++) {
      for (let c = 0; c < 3; c++) row[1 + x * 3 + c] = colours[Math.floor(x / 8) * 3 + c]!;
    }
    rows.push(row);
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  // Eight bits per channel, red, green and blue.
  head.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND'),
  ]);
}

function chunk(name: string, content: Buffer = Buffer.alloc(0)): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), content]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}
