import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Resvg } from '@resvg/resvg-js';
import { fontCoverage } from './font-coverage.ts';

/** A picture and the characters in it that could not be drawn, each once. */
export interface Png {
  bytes: Uint8Array;
  missing: string[];
}

const family = 'Noto Sans CJK SC';
let coverage: ((codePoint: number) => boolean) | null = null;

/** Draws an SVG; `scale` is px of the picture per px of the SVG. */
export function pngOf(svg: string, scale = 1.5): Png {
  const file = fontFile();
  coverage ??= fontCoverage(readFileSync(file));
  const drawn = new Resvg(svg, {
    fitTo: { mode: 'zoom', value: scale },
    font: {
      loadSystemFonts: false,
      fontFiles: [file],
      defaultFontFamily: family,
      sansSerifFamily: family,
      serifFamily: family,
      monospaceFamily: family,
    },
  });
  return { bytes: drawn.render().asPng(), missing: missingIn(svg, coverage) };
}

/** data/ lies beside src/ and dist/; this file is three folders below the one, and a bundle of it two below the other. */
function fontFile(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  const places = ['../..', '../../..'].map((up) => join(here, up, 'data/fonts/noto-sans-sc-gb2312.otf'));
  return places.find((place) => existsSync(place)) ?? places[0]!;
}

function missingIn(svg: string, has: (codePoint: number) => boolean): string[] {
  const text = [...svg.matchAll(/>([^<]+)</g)].map((match) => match[1]!).join('');
  const chars = new Set(text.replaceAll(/&(?:#\d+|#x[\da-f]+|[a-z]+);/gi, ''));
  return [...chars].filter((char) => !/\s/.test(char) && !has(char.codePointAt(0)!));
}
