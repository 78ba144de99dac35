/** Widths of the glyphs of the vendored font, read from its tables: what a picture really takes, not an estimate. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const font = readFileSync(join(import.meta.dirname, '../../data/fonts/noto-sans-sc-gb2312.otf'));

function table(tag: string): number {
  const count = font.readUInt16BE(4);
  for (let i = 0; i < count; i++)
    if (font.toString('latin1', 12 + i * 16, 16 + i * 16) === tag) return font.readUInt32BE(20 + i * 16);
  throw new Error(`no table ${tag}`);
}

const unitsPerEm = font.readUInt16BE(table('head') + 18);
const longMetrics = font.readUInt16BE(table('hhea') + 34);
const metrics = table('hmtx');
const segments = (() => {
  const cmap = table('cmap');
  const count = font.readUInt16BE(cmap + 2);
  for (let i = 0; i < count; i++) {
    const at = cmap + font.readUInt32BE(cmap + 8 + i * 8);
    if (font.readUInt16BE(at) === 4) return at;
  }
  throw new Error('no cmap of format 4');
})();

function glyphOf(code: number): number {
  const doubled = font.readUInt16BE(segments + 6);
  for (let i = 0; i < doubled; i += 2) {
    if (font.readUInt16BE(segments + 14 + i) < code) continue;
    const start = font.readUInt16BE(segments + 16 + doubled + i);
    if (start > code) return 0;
    const delta = font.readUInt16BE(segments + 16 + 2 * doubled + i);
    const rangeAt = segments + 16 + 3 * doubled + i;
    const range = font.readUInt16BE(rangeAt);
    if (range === 0) return (code + delta) & 0xffff;
    const glyph = font.readUInt16BE(rangeAt + range + 2 * (code - start));
    return glyph === 0 ? 0 : (glyph + delta) & 0xffff;
  }
  return 0;
}

/** Width of a text in px, without kerning (which only ever draws glyphs nearer). */
export function drawnWidth(text: string, size: number): number {
  let units = 0;
  for (const char of text)
    units += font.readUInt16BE(metrics + 4 * Math.min(glyphOf(char.codePointAt(0)!), longMetrics - 1));
  return (units / unitsPerEm) * size;
}
