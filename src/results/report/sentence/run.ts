import { joined, printable, problems, quotedFigures } from '../../../core/index.ts';
import type { Figures, Finding, Phrase, Summary } from '../../../core/index.ts';
import { countOf } from '../figure-text.ts';
import { countFigure, shortFigure, timeFigure } from './short-figure.ts';

/** What came of a run, in one sentence; `bad` = no figure below may be used as it stands. */
export interface Sentence {
  tone: 'good' | 'warn' | 'bad';
  says: Phrase;
}

/** The sentence of a run: what made it bad, or what was answered and how fast. Steady figures, where a part of the run was steady. */
export function runInWords(summary: Summary): Sentence {
  const invalid = summary.verdict.findings.find(({ severity }) => severity === 'invalid');
  if (invalid !== undefined) return { tone: 'bad', says: headed(invalid, { en: 'NOT VALID', zh: '无效' }) };
  const overloaded = summary.verdict.findings.find(({ code }) => code === 'overloaded');
  if (overloaded !== undefined) return { tone: 'bad', says: headed(overloaded, { en: 'Overloaded', zh: '过载' }) };
  const answered = answeredInWords(summary);
  const stopped = stoppedInWords(summary);
  if (stopped !== null) return { tone: 'warn', says: stopped };
  const silent = summary.verdict.findings.find(({ code }) => code === 'server-silent');
  const says =
    silent === undefined
      ? answered
      : {
          en: `${firstSentence(silent.message)} ${answered.en}`,
          zh: `${firstSentence(silent.zh.message)}${answered.zh}`,
        };
  return { tone: summary.counts.failed > 0 || silent !== undefined ? 'warn' : 'good', says };
}

/** How fast, in a few words: `1,112 tokens/s, first token 30.2 ms, then 14.1 ms a token`; empty = nothing is known. */
export function speedInWords(summary: Summary): Phrase {
  const figures: Figures = quotedFigures(summary);
  const rate = rateInWords(figures);
  const first = figures.ttftMs?.p50 ?? null;
  const then = figures.tpotMs?.p50 ?? null;
  const whole = figures.latencyMs?.p50 ?? null;
  const parts: (Phrase | null)[] = [
    figures.outputTokensPerSec === null
      ? figures.requestsPerSec === null
        ? null
        : rate
      : { en: rate.en, zh: `吞吐 ${rate.zh}` },
    first === null ? null : { en: `first token ${timeFigure(first)}`, zh: `首 Token ${timeFigure(first)}` },
    then === null ? null : { en: `then ${timeFigure(then)} a token`, zh: `之后每 Token ${timeFigure(then)}` },
    first === null && whole !== null
      ? { en: `whole answer ${timeFigure(whole)}`, zh: `整个回答 ${timeFigure(whole)}` }
      : null,
  ];
  return joined(parts.filter((part) => part !== null));
}

/** Tokens per second, or requests where nobody counted tokens. */
export function rateInWords({ outputTokensPerSec, requestsPerSec }: Figures): Phrase {
  const [tokens, requests] = [shortFigure(outputTokensPerSec), shortFigure(requestsPerSec)];
  return outputTokensPerSec === null
    ? { en: `${requests} requests/s`, zh: `${requests} 请求/s` }
    : { en: `${tokens} tokens/s`, zh: `${tokens} tok/s` };
}

function answeredInWords(summary: Summary): Phrase {
  const { counts, durationMs } = summary;
  const [ok, planned] = [countOf(counts, 'ok'), countOf(counts, 'planned')];
  const lasted =
    durationMs === null
      ? { en: '', zh: '' }
      : { en: ` in ${secondsText(durationMs)}`, zh: `，用时 ${secondsText(durationMs, '秒')}` };
  const all = ok !== null && ok === planned;
  const who: Phrase =
    ok === null
      ? { en: 'Measured', zh: '已测量' }
      : all
        ? { en: `All ${countFigure(ok)} answered`, zh: `${countFigure(ok)} 个请求全部成功` }
        : {
            en: `${countFigure(ok)} of ${countFigure(planned)} answered`,
            zh: `${countFigure(planned)} 个请求中 ${countFigure(ok)} 个成功`,
          };
  const lost = all ? { en: '', zh: '' } : lostInWords(summary);
  const speed = speedInWords(summary);
  const ends = speed.en === '' ? { en: '.', zh: '。' } : { en: `: ${speed.en}.`, zh: `：${speed.zh}。` };
  return { en: `${who.en}${lasted.en}${lost.en}${ends.en}`, zh: `${who.zh}${lasted.zh}${lost.zh}${ends.zh}` };
}

/** Why requests were not answered, the commonest cause first. */
function lostInWords({ counts }: Summary): Phrase {
  const causes = Object.entries(counts.byProblem).toSorted(([, a], [, b]) => (b ?? 0) - (a ?? 0));
  const [worst] = causes;
  const failed = countOf(counts, 'failed') ?? 0;
  if (failed === 0 || worst === undefined || !Object.hasOwn(problems, worst[0])) return { en: '', zh: '' };
  const cause = problems[worst[0] as keyof typeof problems];
  return { en: ` (${failed} failed: ${cause.en})`, zh: `（${failed} 个失败：${cause.zh}）` };
}

function stoppedInWords(summary: Summary): Phrase | null {
  if (!summary.partial) return null;
  const { counts, stoppedBecause } = summary;
  const [ok, planned] = [countFigure(counts.ok), countFigure(counts.planned)];
  const why: Phrase =
    stoppedBecause === undefined
      ? { en: 'it did not end by itself', zh: '未正常结束' }
      : { en: printable(stoppedBecause.message), zh: printable(stoppedBecause.zh) };
  const speed = speedInWords(summary);
  return {
    en: `Stopped at ${ok} of ${planned} (${why.en}); of what was answered: ${speed.en}.`,
    zh: `在 ${planned} 个请求中的第 ${ok} 个停止（${why.zh}）；已回答部分：${speed.zh}。`,
  };
}

function headed(finding: Finding, head: Phrase): Phrase {
  return {
    en: `${head.en}: ${firstSentence(finding.message)}`,
    zh: `${head.zh}：${firstSentence(finding.zh.message)}`,
  };
}

/** The first sentence of a text. */
export function firstSentence(text: string): string {
  return printable(/^.*?(?:[.!?](?=\s|$)|[。！？])/s.exec(text)?.[0] ?? text);
}

function secondsText(ms: number, unit = 's'): string {
  return ms < 600_000 ? `${shortFigure(ms / 1000)} ${unit}` : `${shortFigure(ms / 60_000)} min`;
}
