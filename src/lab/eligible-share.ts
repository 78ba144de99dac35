import { cacheOf, inputTokensOf, outputTokensOf } from '../core/index.ts';
import type { Exchange, Prompt, RunPlan, Summary } from '../core/index.ts';
import { PrefixBook } from '../inputs/workload/index.ts';
import { readExchanges } from '../results/store/index.ts';
import { offsetsOf } from './prepare/prepare.ts';
import type { Prepared } from './prepare/prepare.ts';

/** Tokens that caches keep together: vLLM's and SGLang's smallest usual block. */
const blockTokens = 16;
/** Where nobody counted: English in most tokenizers. */
const usualCharsPerToken = 4;
/** The share of a file with more prompts is not worked out. */
const mostPrompts = 20_000;
/** So many made prompts stand for all, because they are alike and making one with a tokenizer takes milliseconds. */
const mostMade = 200;

/** Works out what its prompts alone let a server take from its prefix cache. */
export type EligibleShare = (summary: Summary, dir: string) => Promise<number | null>;

/**
 * The share of the input tokens that begins as an earlier prompt of the same run did, in whole blocks: what a cache that was empty
 * before can take at the most. The prompts are made again after the load, and only where somebody told hits.
 */
export function eligibleShareOf(prepared: Prepared, plan: RunPlan): EligibleShare {
  return async (summary, dir) => {
    const issued = summary.counts.issued ?? 0;
    const made = plan.dataset.items === null;
    if (cacheOf(summary) === null || issued === 0 || (!made && issued > mostPrompts)) return null;
    const looked = made ? mostMade : mostPrompts;
    const { dataset } = prepared;
    const book = new PrefixBook(blockTokens * charsPerToken(summary));
    const offsets = await offsetsOf(dataset, plan);
    const warmups = plan.warmup !== null && 'requests' in plan.warmup ? plan.warmup.requests : 0;
    const warm = dataset.workload(offsets.warmup);
    for (let i = 0; i < Math.min(warmups, looked); i++) seeFirst(book, plan, await warm.next());
    const workload = dataset.workload(offsets.measure);
    const sums = { known: 0, chars: 0 };
    /** Of the prompts that begin a conversation, by name. */
    const first = new Map<string, number>();
    for (let asked = 0; asked < Math.min(issued, looked);) {
      const prompt = await workload.next();
      if (prompt === null) break;
      const { known, chars } = seeFirst(book, plan, prompt);
      sums.known += known;
      sums.chars += chars;
      first.set(prompt.id, chars > 0 ? known / chars : 0);
      asked += prompt.turns ?? 1;
    }
    if (workload.conversations === true) return shareOfTurns(dir, first);
    return sums.chars > 0 ? sums.known / sums.chars : null;
  };
}

function charsPerToken({ inputCharsPerSec, inputTokensPerSec }: Summary): number {
  const known = inputCharsPerSec !== null && inputTokensPerSec !== null && inputTokensPerSec > 0;
  return known && inputCharsPerSec > 0 ? inputCharsPerSec / inputTokensPerSec : usualCharsPerToken;
}

function seeFirst(book: PrefixBook, { target }: RunPlan, prompt: Prompt | null): { known: number; chars: number } {
  const text = prompt === null ? '' : textAsAsked(prompt, target.api === 'openai-completions');
  return { known: book.see(text), chars: text.length };
}

function textAsAsked({ messages, text }: Prompt, isRaw: boolean): string {
  if (messages.length === 0 || (isRaw && text !== null)) return text ?? '';
  return messages
    .map(({ role, content }) => `${role}\n${typeof content === 'string' ? content : JSON.stringify(content)}\n`)
    .join('');
}

/** Of a conversation, a turn can take all that was read and written up to the turn before it. */
async function shareOfTurns(dir: string, first: ReadonlyMap<string, number>): Promise<number | null> {
  /** Tokens read and written up to a turn, by session and turn. */
  const upTo = new Map<string, number>();
  const asked: Exchange[] = [];
  for await (const exchange of readExchanges({ dir })) {
    const input = inputTokensOf(exchange);
    if (exchange.outcome !== 'ok' || input === null) continue;
    upTo.set(keyOf(exchange, 0), input + (outputTokensOf(exchange) ?? 0));
    if (!exchange.warmup) asked.push(exchange);
  }
  const sums = { known: 0, tokens: 0 };
  for (const exchange of asked) {
    const input = inputTokensOf(exchange)!;
    const before = upTo.get(keyOf(exchange, -1));
    sums.known += before === undefined ? (first.get(exchange.promptId) ?? 0) * input : Math.min(input, before);
    sums.tokens += input;
  }
  return sums.tokens > 0 ? sums.known / sums.tokens : null;
}

function keyOf({ labels, warmup }: Exchange, step: number): string {
  return `${warmup} ${labels['session'] ?? ''} ${Number(labels['turn'] ?? 1) + step}`;
}
