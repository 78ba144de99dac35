import { say } from '../../../core/index.ts';
import type { Figure } from './figure.ts';
import { chartOption } from './option.ts';
import type { DrawOptions } from './option.ts';
import { textWidth } from './text-size.ts';

/**
 * A figure as one SVG document: text as text, no script, no link. echarts is loaded at the first call, because it is
 * large and most commands draw nothing.
 */
export async function figureSvg(figure: Figure, options: Omit<DrawOptions, 'interactive'>): Promise<string> {
  const { init, measureBy } = await import('./echarts.ts');
  measureBy(textWidth);
  const { option, layout } = chartOption(figure, options);
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: layout.width, height: layout.height });
  chart.setOption(option);
  const drawn = chart.renderToSVGString();
  chart.dispose();
  return described(stable(drawn), say(figure.title, options.lang), say(figure.about, options.lang));
}

/** Names inside the document count charts of the process; the same figure shall give the same text. */
function stable(svg: string): string {
  const names = new Map<string, string>();
  return svg.replaceAll(/zr\d+-([a-z]+-?)\d+/g, (name, kind: string) => {
    const known = names.get(name) ?? `zr-${kind}${names.size}`;
    names.set(name, known);
    return known;
  });
}

/** Title and description for whoever cannot see the picture. */
function described(svg: string, title: string, about: string): string {
  const spoken = `<title>${escapeXml(title)}</title><desc>${escapeXml(about)}</desc>`;
  return svg.replace(/^(<svg\b[^>]*)>/, (_, head: string) => `${head} role="img">\n${spoken}`);
}

/** Text of a stranger inside XML or HTML, attributes included. */
export function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
