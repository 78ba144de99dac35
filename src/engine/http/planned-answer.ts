import { answerWord, drawOutputTokens, isMostlyCjk, runawayTokens, textKey, wishedTokens } from '../sim/index.ts';
import type { Call } from './read-call.ts';

/** What the engine is going to say, known before the first token is out. */
export interface PlannedAnswer {
  /** Stands for what was asked, and for which of its choices this is. */
  key: number;
  outputTokens: number;
  /** The first so many tokens are reasoning. */
  reasoningTokens: number;
  finish: 'stop' | 'length';
  /** The visible text of a token; empty where a stop string swallowed it. */
  piece(index: number): string;
}

/** What bears on an answer besides the call. */
export interface AnswerSettings {
  seed: number;
  reasoningTokens: number;
  /** Pays no heed to max_tokens. */
  runaway: boolean;
}

/**
 * Plans the answer to a call: its length from (seed, text), its words from the text, its end from stop strings. Further
 * choices differ in both.
 */
export function planAnswer(call: Call, settings: AnswerSettings, choice = 0): PlannedAnswer {
  const key = textKey(choice === 0 ? call.text : `${call.text}\0${choice}`);
  const drawn = drawOutputTokens(settings.seed, key, { ...call, wishedTokens: wishedTokens(call.text) });
  const reasoningTokens =
    call.kind === 'chat' ? Math.min(settings.reasoningTokens, (call.maxTokens ?? Infinity) - 1) : 0;
  const wanted = call.ignoreEos ? drawn : Math.min(drawn + reasoningTokens, call.maxTokens ?? Infinity);
  const limit = call.maxTokens ?? wanted;
  const outputTokens = settings.runaway ? runawayTokens(limit) : wanted;
  const inChinese = isMostlyCjk(call.text);
  const word = (index: number): string =>
    index < reasoningTokens
      ? answerWord(~key >>> 0, index, inChinese)
      : answerWord(key, index - reasoningTokens, inChinese);
  const cut = settings.runaway ? null : findStop(call, word, reasoningTokens, outputTokens);
  if (cut !== null) return { key, outputTokens: cut.tokens, reasoningTokens, finish: 'stop', piece: cut.piece(word) };
  const finish = outputTokens === call.maxTokens || call.ignoreEos || settings.runaway ? 'length' : 'stop';
  return { key, outputTokens, reasoningTokens, finish, piece: word };
}

interface Cut {
  /** Tokens generated up to the one that completes the stop string. */
  tokens: number;
  piece(word: (index: number) => string): (index: number) => string;
}

/** The first stop string that comes up once min_tokens are out; its text, and what follows, is not shown. */
function findStop(call: Call, word: (index: number) => string, from: number, to: number): Cut | null {
  if (call.stop.length === 0) return null;
  const starts: number[] = [];
  let text = '';
  for (let index = from; index < to; index++) {
    starts.push(text.length);
    text += word(index);
    if (index + 1 < (call.minTokens ?? 0)) continue;
    // Only a hit that this very token completes.
    const start = starts.at(-1)!;
    const hits = call.stop.map((stop) => text.indexOf(stop, start - stop.length + 1)).filter((at) => at >= 0);
    if (hits.length === 0) continue;
    const end = Math.min(...hits);
    return {
      tokens: index + 1,
      piece: (whole) => (i) => (i < from ? whole(i) : whole(i).slice(0, Math.max(0, end - starts[i - from]!))),
    };
  }
  return null;
}
