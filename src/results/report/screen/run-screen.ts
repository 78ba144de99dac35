import { cellsOf, padToCells, printable, say, shellWord, quotedFigures } from '../../../core/index.ts';
import type { Distribution, Figures, Phrase, Summary } from '../../../core/index.ts';
import { simulationOf } from '../finding-text.ts';
import { predictionDoubts, predictionWords } from '../prediction-text.ts';
import { promiseLines } from '../promise-lines.ts';
import { askedInWords } from '../sentence/asked.ts';
import { limitInWords } from '../sentence/limit.ts';
import { doubtsInWords } from '../sentence/doubts.ts';
import type { Doubt } from '../sentence/doubts.ts';
import { runInWords } from '../sentence/run.ts';
import { shareFigure, shortFigure } from '../sentence/short-figure.ts';
import { doubtLines, frameOf } from './screen.ts';
import type { Frame, ScreenOptions } from './screen.ts';

/** Lines that a run may take on its first screen. */
export const runScreenLines = 25;

/** A run on one screen: the answer, promises, one small table, doubts, where it is kept. The rest is in summaryText. */
export function runScreen(summary: Summary, options: ScreenOptions): string {
  const frame = frameOf(options);
  const { paint, fold, say: inLang } = frame;
  const sentence = runInWords(summary);
  const tone = { good: paint.strong, warn: paint.warn, bad: paint.bad }[sentence.tone];
  const simulated = simulationOf(summary);
  const promises = promiseLines(summary, options.lang, paint);
  const answer = [
    ...fold(inLang(askedInWords([summary], options.url ?? null))),
    ...(simulated === null ? [] : [paint.warn(`[${inLang(simulated)}]`)]),
    ...fold(inLang(sentence.says)).map((line) => tone(line)),
    ...promises,
  ];
  const table = figureTable(summary, frame);
  const rates = ratesOf(summary, frame);
  const limit = limitInWords(summary);
  const predicted = [predictionWords(summary), predictionDoubts(summary)];
  const below = [
    ...(table.length === 0 ? [] : ['', ...table]),
    ...(rates === '' ? [] : fold(rates)),
    ...(limit === null ? [] : fold(inLang(limit))),
    ...predicted.flatMap((line) => (line === null ? [] : fold(inLang(line)))),
  ];
  const kept = keptLines(options, frame);
  const doubts = doubtsInWords([{ name: null, findings: summary.verdict.findings }]);
  const isSaid = ({ says }: Doubt): boolean => sentence.says.en.includes(says.en);
  // What the sentence has said is not said again: only what to do about it.
  const todo = doubts.filter((doubt) => isSaid(doubt) && doubt.advice.en !== '').slice(0, 1);
  const advised = todo.flatMap(({ advice }) =>
    fold(inLang({ en: `What to do: ${advice.en}`, zh: `建议：${advice.zh}` })),
  );
  const room = runScreenLines - answer.length - below.length - kept.length - advised.length - 1;
  const others = doubts.filter((doubt) => !isSaid(doubt));
  const doubted = [...advised, ...doubtLines(others, Math.max(1, room), frame)];
  return `${[...answer, ...below, ...(doubted.length > 0 ? ['', ...doubted] : []), ...kept].join('\n')}\n`;
}

/** Where a result is kept, and commands that work as typed: all of it, and its picture; nothing for what is not kept. */
export function keptLines({ kept, store }: ScreenOptions, { fold, say: inLang, paint }: Frame): string[] {
  if (kept === undefined) return [];
  const again = `dyno report latest${storeTyped(store)}`;
  const line: Phrase = {
    en: `Kept as ${kept} · all of it: ${again} · picture: --as png`,
    zh: `已保存为 ${kept} · 全部：${again} · 图表：--as png`,
  };
  return fold(inLang(line)).map(paint.faint);
}

/** The store that was typed, for the end of a command. */
export function storeTyped(store: string | undefined): string {
  return store === undefined ? '' : ` --store ${shellWord(printable(store))}`;
}

const rows: readonly [Phrase, (figures: Figures) => Distribution | null][] = [
  [{ en: 'first token (ms)', zh: '首 Token 时延 (ms)' }, ({ ttftMs }) => ttftMs],
  [{ en: 'a token after (ms)', zh: '每 Token 时延 (ms)' }, ({ tpotMs }) => tpotMs],
  [{ en: 'whole answer (ms)', zh: '整个回答 (ms)' }, ({ latencyMs }) => latencyMs],
];
const shown = ['p50', 'p90', 'p99', 'max'] as const;

/** The distributions that one looks for first, of the steady part where a part of the run was steady. */
function figureTable(summary: Summary, { lang, paint, columns }: Frame): string[] {
  const { steady, durationMs } = summary;
  const figures: Figures = quotedFigures(summary);
  const known: [string, Distribution][] = rows.flatMap(([name, of]) => {
    const found = of(figures);
    return found === null ? [] : [[say(name, lang), found] as [string, Distribution]];
  });
  const speed = summary.userTokensPerSec;
  if (speed !== null) known.push([say({ en: 'user speed (tok/s)', zh: '单用户速度 (tok/s)' }, lang), speed]);
  if (known.length === 0) return [];
  const basis =
    steady === null
      ? ''
      : say(
          {
            en: `steady ${shortFigure((steady.toMs - steady.fromMs) / 1000)} of ${shortFigure((durationMs ?? 0) / 1000)} s`,
            zh: `稳态段 ${shortFigure((steady.toMs - steady.fromMs) / 1000)} / ${shortFigure((durationMs ?? 0) / 1000)} 秒`,
          },
          lang,
        );
  const width = Math.max(20, cellsOf(basis), ...known.map(([name]) => cellsOf(name)));
  const line = (name: string, cells: readonly string[]): string =>
    `${padToCells(name, width)}${cells.map((cell) => cell.padStart(9)).join('')}`;
  const drawn = known.map(([, { shape }]) => sparkOf(shape));
  const room = columns - width - 9 * shown.length - 3;
  return [
    paint.faint(line(basis, shown)),
    ...known.map(([name, of], i) => {
      const row = line(
        name,
        shown.map((key) => shortFigure(of[key])),
      );
      return drawn[i]!.length > room ? row : `${row}   ${drawn[i]!}`.trimEnd();
    }),
  ];
}

const levels = '▁▂▃▄▅▆▇█';

/** A distribution from its least to its largest value, a cell a stretch; a stretch of none is empty. */
function sparkOf(shape: readonly number[] = []): string {
  const most = Math.max(...shape);
  return shape
    .map((count) => (count === 0 ? ' ' : levels[Math.max(0, Math.ceil((count / most) * levels.length) - 1)]!))
    .join('');
}

/** Rates and how full the load was, in one line. */
function ratesOf(summary: Summary, { say: inLang }: Frame): string {
  const figures: Figures = quotedFigures(summary);
  const { load, cachedInputRatio, eligibleInputRatio = null, goodput } = summary;
  const asked = load.concurrency === null || load.kind !== 'closed' ? null : String(load.concurrency);
  const inFlight = shortFigure(figures.concurrencyAchieved);
  const rate = (value: number | null, inWords: (figure: string) => Phrase): Phrase | null =>
    value === null ? null : inWords(shortFigure(value));
  const parts: (Phrase | null)[] = [
    rate(figures.requestsPerSec, (figure) => ({ en: `${figure} requests/s`, zh: `${figure} 请求/s` })),
    rate(figures.inputTokensPerSec, (figure) => ({ en: `${figure} tokens/s in`, zh: `输入 ${figure} tok/s` })),
    figures.concurrencyAchieved === null
      ? null
      : asked === null
        ? { en: `${inFlight} in flight`, zh: `并发 ${inFlight}` }
        : { en: `${inFlight} of ${asked} in flight`, zh: `并发 ${inFlight} / ${asked}` },
    cachedInputRatio === null
      ? null
      : {
          en: `prefix cache ${shareFigure(cachedInputRatio)}${eligibleInputRatio === null ? '' : ` of ${shareFigure(eligibleInputRatio)}`}`,
          zh: `前缀缓存命中 ${shareFigure(cachedInputRatio)}${eligibleInputRatio === null ? '' : ` / ${shareFigure(eligibleInputRatio)}`}`,
        },
    goodput === null
      ? null
      : { en: `goodput ${shareFigure(goodput.ratio)}`, zh: `达标请求 ${shareFigure(goodput.ratio)}` },
  ];
  return parts
    .filter((part) => part !== null)
    .map(inLang)
    .join(' · ');
}
