import { printable, say } from '../core/index.ts';
import type { ParsedCommand } from './command.ts';

type Listener = Pick<ParsedCommand, 'common' | 'io'>;

/**
 * A picture as PNG bytes, or the SVG itself where this host cannot draw: the drawing library is native code, which may be
 * missing or made for another kind of processor. Loaded only when a picture is asked for.
 */
export async function drawn({ common, io }: Listener, svg: string): Promise<Uint8Array | string> {
  const room = await import('../results/picture/index.ts').catch((error: unknown) => {
    const why = printable(error instanceof Error ? error.message : String(error)).slice(0, 160);
    const host = `${process.platform}-${process.arch}`;
    const told = {
      en: `warning: PNG cannot be drawn here, so it is SVG: the native part of @resvg/resvg-js for ${host} is missing (${why}); npm install on this host mends it\n`,
      zh: `警告：此处无法绘制 PNG，改为 SVG：缺少 ${host} 的 @resvg/resvg-js 原生模块（${why}）；在本机运行 npm install 即可修复\n`,
    };
    io.err(say(told, common.lang));
    return null;
  });
  if (room === null) return svg;
  const { bytes, missing } = room.pngOf(svg);
  if (missing.length > 0) {
    const lacked = printable(missing.slice(0, 20).join(' '));
    const told = {
      en: `warning: the picture lacks characters that its font does not have: ${lacked}\n`,
      zh: `警告：字体缺少以下字符，图片中未显示：${lacked}\n`,
    };
    io.err(say(told, common.lang));
  }
  return bytes;
}

/** The name of a picture's file: an SVG that stands in for a PNG is called what it is. */
export function nameFor(file: string, content: string | Uint8Array): string {
  return typeof content === 'string' ? file.replace(/\.png$/i, '.svg') : file;
}
