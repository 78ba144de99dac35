import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import { printable, randomStream, UserError } from '../../core/index.ts';
import type { Prompt, RandomStream } from '../../core/index.ts';
import type { Dataset, DatasetOptions } from './dataset.ts';
import { madeDataset } from './made-dataset.ts';
import { noImages } from './made-mistakes.ts';
import { numbersIn } from './numbers-in.ts';

const types: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.webp': 'image/webp',
  '.gif': 'image/gif',
};
/** Larger pictures are refused: a request holds its picture whole. */
const maxImageBytes = 20 * 1024 * 1024;
const question = 'Describe this image in detail.';

/** Vision chat: the pictures of a folder in turn, or synthetic ones (`images:width=448,height=448,count=2`). */
export async function imageDataset(rest: string, options: DatasetOptions): Promise<Dataset> {
  const made = rest === '' || /^(width|height|count)=/.test(rest);
  return made ? syntheticImages(rest, options) : folderImages(rest);
}

function syntheticImages(rest: string, options: DatasetOptions): Dataset {
  const { width, height, count } = numbersIn('images', rest, { width: 448, height: 448, count: 1 });
  const size = (value: number): number => Math.min(8192, Math.max(1, Math.round(value)));
  const seed = options.seed ?? 1;
  const make = (index: number): Prompt => {
    const pictures = Array.from({ length: Math.max(1, Math.round(count)) }, (_, i) =>
      randomPng(size(width), size(height), randomStream(seed, `image ${index} ${i}`)),
    );
    return imagePrompt(
      `image-${index}`,
      pictures.map((bytes) => ({ type: 'image/png', bytes })),
    );
  };
  return madeDataset({
    spec: rest === '' ? 'images' : `images:${rest}`,
    kind: 'images',
    name: 'synthetic images',
    settings: { seed, width: size(width), height: size(height), count },
    make,
    contextTokens: null,
  });
}

async function folderImages(folder: string): Promise<Dataset> {
  const found = await stat(folder).catch(() => null);
  const names = found?.isDirectory() === true ? (await readdir(folder)).toSorted() : [];
  const files = names.filter((name) => Object.hasOwn(types, extname(name).toLowerCase()));
  if (files.length === 0) throw new UserError(noImages(folder));
  const hash = createHash('sha256');
  let bytes = 0;
  for (const name of files) {
    const { size } = await stat(join(folder, name));
    if (size > maxImageBytes) throw new UserError(noImages(join(folder, name)));
    hash.update(`${name}\n${size}\n`);
    bytes += size;
  }
  return {
    facts: ({ offset, count }) => ({
      spec: `images:${folder}`,
      kind: 'images',
      name: printable(basename(folder)),
      hash: `names-and-sizes-sha256:${hash.copy().digest('hex')}`,
      items: files.length,
      bytes,
      offset: offset % files.length,
      cycled: count !== null && count > files.length,
    }),
    check: async () => {},
    workload(offset) {
      let index = offset;
      return {
        async next() {
          const name = files[index++ % files.length]!;
          const type = types[extname(name).toLowerCase()]!;
          return imagePrompt(printable(name), [{ type, bytes: await readFile(join(folder, name)) }]);
        },
      };
    },
  };
}

function imagePrompt(id: string, pictures: readonly { type: string; bytes: Buffer }[]): Prompt {
  const parts = pictures.map(({ type, bytes }) => ({
    type: 'image_url',
    image_url: { url: `data:${type};base64,${bytes.toString('base64')}` },
  }));
  return {
    id,
    messages: [{ role: 'user', content: [...parts, { type: 'text', text: question }] }],
    text: null,
    inputTokens: null,
    maxTokens: null,
    labels: { images: String(pictures.length) },
  };
}

/** A PNG of random coloured tiles, 8 × 8 pixels each: small enough to send often, and no two alike. */
function randomPng(width: number, height: number, chance: RandomStream): Buffer {
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
