import type { Lang, Phrase, Sweep } from '../../../core/index.ts';
import type { Comparison } from '../../measure/index.ts';
import type { Figure } from '../chart/index.ts';
import { pointName, sweepName } from '../point-name.ts';
import { forestOf } from '../sentence/forest.ts';
import { promisesInWords } from '../sentence/promise.ts';
import { runInWords } from '../sentence/run.ts';
import { sweepInWords } from '../sentence/sweep.ts';
import { both, markup, text } from './both.ts';
import type { Html } from './both.ts';
import { storyOf } from './story.ts';
import { style } from './style.ts';
import { distributionTable, findingList, telemetryList, problemTable, sweepTable } from './tables.ts';

/** The browser side of a page, built apart; the hash is its sha256 in base64, for the content security policy. */
export interface PageScript {
  code: string;
  sha256: string;
}

/** Everything a page tells. */
export interface HtmlParts {
  title: string;
  sweeps: readonly Sweep[];
  figures: readonly Figure[];
  /** What it amounts to, where more is known than the sweeps say: a comparison's sentences. */
  answers?: readonly Phrase[];
  /** The comparison, for its picture. */
  comparison?: Comparison;
  /** A section of its own, such as a comparison; safe HTML. */
  more?: readonly { id: string; title: Phrase; body: Html }[];
  /** Name and value: host, versions, dataset, target. */
  environment: readonly (readonly [Phrase, string])[];
  /** What to type to repeat it, and the plan behind it. */
  repeat: { command: string | null; plan: unknown };
  lang: Lang;
  script: PageScript;
  /** `llmdyno 0.1.0`. */
  by: string;
}

/** One HTML file that needs nothing else: no network, no font, no other file. */
export function htmlReport(parts: HtmlParts): string {
  const { lang, script } = parts;
  const policy = `default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-${script.sha256}'; base-uri 'none'; form-action 'none'`;
  const page = markup`<!doctype html>
<html lang="${text(lang === 'zh' ? 'zh-CN' : 'en')}" data-lang="${text(lang)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${text(policy)}">
<meta name="referrer" content="no-referrer">
<title>${text(parts.title)} · llmdyno</title>
<style>${style as Html}</style>
</head>
<body>
<a class="skip" href="#verdict">${both({ en: 'to the verdict', zh: '跳到结论' })}</a>
<header><h1>${text(parts.title)}</h1><div><button type="button" id="switch-language" aria-label="English / 中文">English / 中文</button> <button type="button" id="switch-theme">${both({ en: 'light / dark', zh: '浅色 / 深色' })}</button></div></header>
<main>${body(parts)}</main>
<footer>${text(parts.by)} · ${both({ en: 'one file, no network needed; charts by Apache ECharts (Apache-2.0) and zrender (BSD-3-Clause)', zh: '单个文件，无需联网；图表由 Apache ECharts（Apache-2.0）与 zrender（BSD-3-Clause）绘制' })}</footer>
<script type="application/json" id="figures">${dataOf(parts.figures)}</script>
<script>${script.code as Html}</script>
</body>
</html>
`;
  return page;
}

function body(parts: HtmlParts): Html {
  const watched = telemetryList(parts.sweeps);
  const sections: [string, Phrase, Html][] = [
    ['charts', { en: 'Charts', zh: '图表' }, markup`${parts.figures.map(figureBox)}`],
    ['story', { en: 'What was tested and found', zh: '测了什么，发现了什么' }, story(parts)],
    ...(parts.more ?? []).map(({ id, title, body: inner }): [string, Phrase, Html] => [id, title, inner]),
    ['tables', { en: 'Tables', zh: '数据表' }, tables(parts.sweeps)],
    ...(watched === null
      ? []
      : [['telemetry', { en: 'Server and cards', zh: '服务器与卡' }, watched] as [string, Phrase, Html]]),
    ['audit', { en: 'Audit', zh: '审计' }, findingList(parts.sweeps)],
    ['environment', { en: 'Environment', zh: '环境' }, environment(parts)],
    ['repeat', { en: 'To repeat it', zh: '如何复现' }, repeat(parts)],
  ];
  const links = sections.map(([id, title]) => markup`<a href="#${text(id)}">${both(title)}</a>`);
  const rest = sections.map(
    ([id, title, inner]) =>
      markup`<section id="${text(id)}" aria-labelledby="${text(`${id}-title`)}">
        <h2 id="${text(`${id}-title`)}">${both(title)}</h2>
        ${inner}
      </section>`,
  );
  const forest = parts.comparison === undefined ? null : forestHtml(parts.comparison);
  return markup`${verdict(parts)}${forest ?? text('')}
    <nav aria-label="sections / 目录">${links}</nav>
    ${rest}`;
}

/** The answer, then what was promised, then how far it can be trusted. */
function verdict(parts: HtmlParts): Html {
  const { tone, verdict: trust, cautions } = storyOf(parts.sweeps);
  const answers = parts.answers ?? parts.sweeps.flatMap(answerOf);
  const promises = parts.sweeps.flatMap(({ points }) => (points.length === 1 ? promisesInWords(points[0]!) : []));
  return markup`<section id="verdict" class="verdict ${text(tone)}" aria-label="verdict / 结论">
    ${answers.map((answer, i) => (i === 0 ? markup`<p><strong>${both(answer)}</strong></p>` : markup`<p>${both(answer)}</p>`))}
    ${promises.length === 0 ? text('') : markup`<div class="tiles">${promises.map(({ line, kept }) => markup`<p class="${text(kept === null ? 'warnword' : kept ? 'good' : 'badword')}">${both(line)}</p>`)}</div>`}
    ${cautions.map((caution) => markup`<p class="warnword">${both(caution)}</p>`)}
    <p class="faint">${both(trust)}</p>
  </section>`;
}

/** What the terminal and the page say first of it, too. */
function answerOf(sweep: Sweep, _: number, all: readonly Sweep[]): Phrase[] {
  const [only, ...more] = sweep.points;
  const says =
    more.length > 0 || sweep.search !== undefined
      ? sweepInWords(sweep).says
      : only === undefined
        ? []
        : [runInWords(only).says];
  if (all.length === 1) return says;
  const name = sweepName(sweep);
  return says.slice(0, 1).map(({ en, zh }) => ({ en: `${name}: ${en}`, zh: `${name}：${zh}` }));
}

/** The changes of every candidate with their intervals under each other, coloured by verdict; null where nothing is known of both. */
function forestHtml(comparison: Comparison): Html | null {
  const plots = comparison.names.slice(1).flatMap((name, candidate): Html[] => {
    const forest = forestOf(comparison, candidate);
    if (forest === null) return [];
    const { rows, zero, ends } = forest;
    const percent = (share: number): Html => text(`${(share * 100).toFixed(2)}%`);
    const lines = rows.map(
      ({ metric, place, change, verdict: side, says, at, from, to }) =>
        markup`<li class="${text(side)}">
          <span>${both(metric)} ${text(place === null ? '' : `@ ${place}`)}</span>
          <span class="track" aria-hidden="true">
            <i class="zero" style="left:${percent(zero)}"></i>
            ${from === null || to === null ? text('') : markup`<i class="span" style="left:${percent(from)};width:${percent(to - from)}"></i>`}
            <i class="dot" style="left:${percent(at)}"></i>
          </span>
          <strong>${text(change)}</strong>
          <span>${both(says)}</span>
        </li>`,
    );
    const more = comparison.names.length > 2 ? text(`: ${name}`) : text('');
    return [
      markup`<h2>${both({ en: 'Change against the baseline', zh: '相对基线的变化' })}${more}</h2>
        <ol>${lines}</ol>
        <p class="faint">${text(`${ends[0]} … ${ends[1]}`)}</p>`,
    ];
  });
  return plots.length === 0 ? null : markup`<section class="forest" id="changes">${plots}</section>`;
}

function story(parts: HtmlParts): Html {
  const { tested, found, advice } = storyOf(parts.sweeps);
  const list = (title: Phrase, items: readonly Phrase[]): Html =>
    items.length === 0
      ? text('')
      : markup`<h3>${both(title)}</h3>
          <ul>
            ${items.map((item) => markup`<li>${both(item)}</li>`)}
          </ul>`;
  return markup`${list({ en: 'Tested', zh: '测试内容' }, tested)}${list({ en: 'Found', zh: '发现' }, found)}${list({ en: 'To do', zh: '建议' }, advice)}`;
}

function figureBox(figure: Figure, index: number): Html {
  return markup`<figure>
    <div
      class="plot"
      data-figure="${index}"
      role="img"
      aria-label="${text(typeof figure.about === 'string' ? figure.about : figure.about.en)}"
    ></div>
    <figcaption>${both(figure.about)}</figcaption>
  </figure>`;
}

const mostDistributions = 40;

function tables(sweeps: readonly Sweep[]): Html {
  const points = sweeps.flatMap((sweep) => sweep.points.map((point) => ({ sweep, point })));
  const why = problemTable(points.map(({ point }) => point));
  const each = points
    .slice(0, mostDistributions)
    .map(({ sweep, point }) =>
      distributionTable(
        point,
        points.length === 1 ? sweepName(sweep) : `${sweepName(sweep)} · ${pointName(sweep, point)}`,
      ),
    );
  return markup`${sweeps.map(sweepTable)}${why ?? text('')}<details${points.length === 1 ? (' open' as Html) : text('')}><summary>${both({ en: 'Distributions of every point', zh: '各点的分布' })}</summary>${each}</details>`;
}

function environment(parts: HtmlParts): Html {
  return markup`<dl>
    ${parts.environment.map(
      ([name, value]) =>
        markup`<dt>${both(name)}</dt>
          <dd>${text(value)}</dd>`,
    )}
  </dl>`;
}

function repeat(parts: HtmlParts): Html {
  const { command, plan } = parts.repeat;
  const shown = plan === null || plan === undefined ? null : JSON.stringify(plan, null, 2);
  return markup`${command === null ? text('') : markup`<pre>${text(command)}</pre>`}${
    shown === null
      ? text('')
      : markup`<details>
          <summary>plan.json</summary>
          <pre>${escaped(shown)}</pre>
        </details>`
  }`;
}

/** Several lines of a stranger's text. */
function escaped(lines: string): Html {
  return lines.split('\n').map(indentKept).join('\n') as Html;
}

function indentKept(line: string): string {
  return (/^ */.exec(line)?.[0] ?? '') + text(line);
}

/** JSON inside a script element: no `<` can end it early. */
function dataOf(figures: readonly Figure[]): Html {
  return JSON.stringify(figures)
    .replaceAll('<', String.raw`\u003c`)
    .replaceAll('\u2028', String.raw`\u2028`)
    .replaceAll('\u2029', String.raw`\u2029`) as Html;
}
