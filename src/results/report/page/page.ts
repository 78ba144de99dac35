/**
 * The browser side of a report: draws the figures that stand in the page as JSON, and switches language and theme.
 * Built apart into one script by scripts/build.mjs; it reads nothing from the network and stores nothing.
 */
import type { Lang } from '../../../core/index.ts';
import type { Figure } from '../chart/figure.ts';
import { chartOption } from '../chart/option.ts';
import { init } from '../chart/echarts.ts';
import type { ThemeName } from '../chart/theme.ts';

type Chart = ReturnType<typeof init>;

const root = document.documentElement;
const figures = JSON.parse(document.querySelector('#figures')!.textContent) as Figure[];
const plots = [...document.querySelectorAll<HTMLElement>('[data-figure]')];
const charts = new Map<HTMLElement, Chart>();
/** Above so many points one canvas is smoother than as many elements. */
const mostElements = 4000;
const darkSystem = matchMedia('(prefers-color-scheme: dark)');

function lang(): Lang {
  return root.dataset['lang'] === 'zh' ? 'zh' : 'en';
}

function theme(): ThemeName {
  const chosen = root.dataset['theme'];
  return chosen === 'dark' || chosen === 'light' ? chosen : darkSystem.matches ? 'dark' : 'light';
}

function sizeOf(figure: Figure): number {
  return figure.panels.reduce((sum, panel) => {
    if (panel.kind === 'lines') return sum + panel.series.reduce((all, series) => all + series.points.length, 0);
    if (panel.kind === 'bars') return sum + panel.bars.length;
    return sum + (panel.kind === 'spans' ? panel.rows.length * 2 : panel.cells.length);
  }, 0);
}

function draw(plot: HTMLElement, as: ThemeName): void {
  const figure = figures[Number(plot.dataset['figure'])]!;
  const width = Math.max(320, plot.clientWidth);
  const { option, layout } = chartOption(figure, { lang: lang(), theme: as, width, interactive: true });
  plot.style.height = `${layout.height}px`;
  const renderer = sizeOf(figure) > mostElements ? 'canvas' : 'svg';
  const chart = charts.get(plot) ?? init(plot, null, { renderer });
  charts.set(plot, chart);
  chart.resize({ width, height: layout.height });
  chart.setOption(option, { notMerge: true });
  const about = typeof figure.about === 'string' ? figure.about : figure.about[lang()];
  plot.setAttribute('aria-label', about);
}

function drawAll(as: ThemeName = theme()): void {
  for (const plot of plots) draw(plot, as);
}

document.querySelector('#switch-language')!.addEventListener('click', () => {
  root.dataset['lang'] = lang() === 'zh' ? 'en' : 'zh';
  root.lang = lang() === 'zh' ? 'zh-CN' : 'en';
  drawAll();
});
document.querySelector('#switch-theme')!.addEventListener('click', () => {
  root.dataset['theme'] = theme() === 'dark' ? 'light' : 'dark';
  drawAll();
});
darkSystem.addEventListener('change', () => drawAll());
addEventListener('beforeprint', () => drawAll('light'));
addEventListener('afterprint', () => drawAll());
let asked = 0;
addEventListener('resize', () => {
  cancelAnimationFrame(asked);
  asked = requestAnimationFrame(() => drawAll());
});
drawAll();
