import { describe, expect, test } from 'vitest';
import { pngOf } from './index.ts';

const svg = (text: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="120" height="40"><text x="4" y="28" font-size="20" font-family="sans-serif">${text}</text></svg>`;

describe('PNG', () => {
  test('is a PNG of the size asked for', () => {
    const { bytes } = pngOf(svg('吞吐量'), 2);
    expect([...bytes.subarray(0, 8)]).toEqual([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    expect([view.getUint32(16), view.getUint32(20)]).toEqual([240, 80]);
  });
  test('Chinese is drawn from the vendored font: more ink than an empty picture', () => {
    expect(pngOf(svg('吞吐量延迟')).bytes.length).toBeGreaterThan(pngOf(svg('')).bytes.length + 300);
  });
  test('names the characters that the font lacks, and only those', () => {
    // 囍 and the emoji are not in GB2312; the others are.
    expect(pngOf(svg('双囍 QPS 并行数 ≥ 95 % 🚀 &amp; &lt;')).missing).toEqual(['囍', '🚀']);
  });
});
