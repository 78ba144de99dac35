import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../core/index.ts';
import { openDataset } from './index.ts';

interface ImagePart {
  type: string;
  image_url?: { url: string };
  text?: string;
}
async function partsOf(spec: string, n: number): Promise<ImagePart[][]> {
  const workload = (await openDataset(spec, { seed: 4 })).workload(0);
  const all: ImagePart[][] = [];
  for (let i = 0; i < n; i++) all.push((await workload.next())!.messages[0]!.content as unknown as ImagePart[]);
  return all;
}
const bytesOf = (part: ImagePart): Buffer => Buffer.from(part.image_url!.url.split(',')[1]!, 'base64');

describe('images', () => {
  it('synthetic ones are PNGs of the size asked for, all different, the same for the same seed', async () => {
    const [first, second] = await partsOf('images:width=20,height=9,count=2', 2);
    expect(first!.map(({ type }) => type)).toEqual(['image_url', 'image_url', 'text']);
    const png = bytesOf(first![0]!);
    // Signature, then IHDR with width, height, depth 8 and colour type 2 (PNG specification, sections 5.2 and 11.2.2).
    expect(png.subarray(0, 8).toString('latin1')).toBe('\u0089PNG\r\n\u001a\n');
    expect([png.readUInt32BE(16), png.readUInt32BE(20), png[24], png[25]]).toEqual([20, 9, 8, 2]);
    const at = png.indexOf('IDAT');
    const data = png.subarray(at + 4, at + 4 + png.readUInt32BE(at - 4));
    expect(inflateSync(data)).toHaveLength(9 * (1 + 20 * 3));
    const urls = [...first!, ...second!].flatMap((part) => (part.image_url === undefined ? [] : [part.image_url.url]));
    expect(new Set(urls).size).toBe(4);
    expect((await partsOf('images:width=20,height=9,count=2', 2))[1]).toEqual(second);
  });

  it('of a folder are sent in the order of their names, and begin again', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'llmdyno-images-'));
    writeFileSync(join(folder, 'b.jpg'), 'B');
    writeFileSync(join(folder, 'a.png'), 'A');
    writeFileSync(join(folder, 'note.txt'), 'no');
    const urls = (await partsOf(`images:${folder}`, 3)).map(([part]) => part!.image_url!.url);
    expect(urls).toEqual(['data:image/png;base64,QQ==', 'data:image/jpeg;base64,Qg==', 'data:image/png;base64,QQ==']);
    rmSync(folder, { recursive: true });
    await expect(openDataset(`images:${folder}`)).rejects.toBeInstanceOf(UserError);
  });
});
