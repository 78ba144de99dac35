import { invariant } from '../../core/index.ts';

/** Which characters an OpenType font can draw, read from its cmap table (format 4: the font was cut to the basic plane). */
export function fontCoverage(font: Buffer): (codePoint: number) => boolean {
  const at = basicPlane(font, tableAt(font, 'cmap'));
  const doubled = font.readUInt16BE(at + 6);
  const groups: [number, number][] = [];
  for (let i = 0; i < doubled; i += 2) {
    // The end codes come first, then two bytes of padding, then the start codes.
    groups.push([font.readUInt16BE(at + 16 + doubled + i), font.readUInt16BE(at + 14 + i)]);
  }
  return (codePoint) => {
    let low = 0;
    let high = groups.length - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const [first, last] = groups[middle]!;
      if (codePoint < first) high = middle - 1;
      else if (codePoint > last) low = middle + 1;
      else return true;
    }
    return false;
  };
}

function tableAt(font: Buffer, tag: string): number {
  const tables = font.readUInt16BE(4);
  for (let i = 0; i < tables; i++) {
    const at = 12 + i * 16;
    if (font.toString('latin1', at, at + 4) === tag) return font.readUInt32BE(at + 8);
  }
  invariant(false, `the vendored font has a ${tag} table`);
}

function basicPlane(font: Buffer, cmap: number): number {
  const count = font.readUInt16BE(cmap + 2);
  for (let i = 0; i < count; i++) {
    const at = cmap + font.readUInt32BE(cmap + 4 + i * 8 + 4);
    if (font.readUInt16BE(at) === 4) return at;
  }
  invariant(false, 'the vendored font has a cmap of format 4');
}
