import type { AnswerText, Exchange, Finding, Prompt, RunPlan } from '../core/index.ts';
import { answersNumber, openTokenizer, textOf } from '../inputs/dataset/index.ts';
import type { Tokenizer } from '../inputs/dataset/index.ts';
import type { Afterwards } from './execute-run.ts';
import { readAnswers, readExchanges, rewriteExchanges } from '../results/store/index.ts';
import type { Prepared } from './prepare/prepare.ts';

/** Counts of the server and of the tokenizer that differ by more than this are told. */
const noticed = 0.1;

/**
 * What is done once the load is over, off the timed path: tokens are counted with the model's tokenizer, answers are
 * checked against the dataset's. undefined = there is nothing to do.
 */
export function afterwardsOf(prepared: Prepared, plan: RunPlan): Afterwards | undefined {
  const folder = prepared.settings.tokenizer;
  const checks = plan.dataset.kind === 'gsm8k' && plan.keepText;
  if (folder === undefined && !checks) return undefined;
  return async (dir) => {
    const tokenizer = folder === undefined ? null : await openTokenizer(folder);
    const references = checks ? await referencesIn(dir) : new Map<number, string>();
    const heard = await readTexts(dir, tokenizer, references);
    const accuracy = heard.of === 0 ? null : { correct: heard.correct, of: heard.of, ratio: heard.correct / heard.of };
    if (tokenizer === null) return { recounted: false, accuracy, findings: [] };
    const inputs = await inputCounts(prepared, plan, dir, tokenizer);
    const sums = { server: 0, client: 0 };
    await rewriteExchanges({ dir }, (exchange) => {
      const input = inputs.get(exchange.promptId) ?? null;
      const output = heard.tokens.get(exchange.seq) ?? null;
      if (exchange.outcome === 'ok' && !exchange.warmup && output !== null && exchange.outputTokens.server !== null) {
        sums.server += exchange.outputTokens.server;
        sums.client += output;
      }
      return {
        ...exchange,
        inputTokens: { ...exchange.inputTokens, client: input },
        outputTokens: { ...exchange.outputTokens, client: output },
      };
    });
    return { recounted: true, accuracy, findings: disagreement(sums, tokenizer) };
  };
}

async function referencesIn(dir: string): Promise<Map<number, string>> {
  const references = new Map<number, string>();
  for await (const { seq, labels, warmup } of readExchanges({ dir })) {
    if (labels['answer'] !== undefined && !warmup) references.set(seq, labels['answer']);
  }
  return references;
}

/** One pass over the answers: tokens by request, and how many are right. */
async function readTexts(
  dir: string,
  tokenizer: Tokenizer | null,
  references: ReadonlyMap<number, string>,
): Promise<{ tokens: Map<number, number>; correct: number; of: number }> {
  const heard = { tokens: new Map<number, number>(), correct: 0, of: 0 };
  for await (const { seq, text, reasoning } of readAnswers({ dir })) {
    if (tokenizer !== null) heard.tokens.set(seq, tokenizer.count(reasoning) + tokenizer.count(text));
    const reference = references.get(seq);
    const right = reference === undefined ? null : answersNumber(reference, text);
    if (right === null) continue;
    heard.of += 1;
    if (right) heard.correct += 1;
  }
  return heard;
}

/** Prompt tokens by prompt: its texts alone, since what a chat template adds is the server's. */
async function inputCounts(
  prepared: Prepared,
  plan: RunPlan,
  dir: string,
  tokenizer: Tokenizer,
): Promise<Map<string, number>> {
  /** The request that asked a prompt; null = several did, so its history is not known for sure. */
  const wanted = new Map<string, number | null>();
  let sent = 0;
  for await (const exchange of readExchanges({ dir })) {
    if (!isSent(exchange)) continue;
    wanted.set(exchange.promptId, wanted.has(exchange.promptId) ? null : exchange.seq);
    sent += 1;
  }
  const counts = new Map<string, number>();
  let answers: Map<number, AnswerText> | null = null;
  const workload = prepared.dataset.workload(plan.dataset.offset);
  for (let i = 0; i < sent && counts.size < wanted.size; i++) {
    const prompt = await workload.next();
    if (prompt === null) break;
    if (wanted.has(prompt.id) && !counts.has(prompt.id)) counts.set(prompt.id, tokenizer.count(textOf(prompt)));
    if (prompt.follow !== undefined) {
      answers ??= await answersIn(dir);
      countTurns(prompt, { wanted, answers, counts, tokenizer });
    }
  }
  return counts;
}

/** The further turns of a conversation, said again with the answers that were kept. */
function countTurns(
  first: Prompt,
  known: {
    wanted: ReadonlyMap<string, number | null>;
    answers: ReadonlyMap<number, AnswerText>;
    counts: Map<string, number>;
    tokenizer: Tokenizer;
  },
): void {
  const { wanted, answers, counts, tokenizer } = known;
  for (let turn: Prompt | null = first; turn?.follow !== undefined;) {
    const seq: number | null | undefined = wanted.get(turn.id);
    const answer = seq == null ? undefined : answers.get(seq);
    turn = answer === undefined ? null : turn.follow({ ...answer, outputTokens: null });
    if (turn !== null && wanted.get(turn.id) != null) counts.set(turn.id, tokenizer.count(textOf(turn)));
  }
}

async function answersIn(dir: string): Promise<Map<number, AnswerText>> {
  const answers = new Map<number, AnswerText>();
  for await (const answer of readAnswers({ dir })) answers.set(answer.seq, answer);
  return answers;
}

function isSent({ sentMs }: Exchange): boolean {
  return sentMs !== null;
}

function disagreement({ server, client }: { server: number; client: number }, tokenizer: Tokenizer): Finding[] {
  if (server === 0 || Math.abs(client / server - 1) <= noticed) return [];
  const share = `${((client / server - 1) * 100).toFixed(1)} %`;
  return [
    {
      code: 'token-counts-differ',
      severity: 'warn',
      message: `The server counted ${server} output tokens, the tokenizer ${tokenizer.name} ${client} (${share}); the server's counts are used.`,
      evidence: { server, client },
      advice:
        "Check that the tokenizer is the model's own; text that the server keeps back (special tokens, tool calls) is not in the answers.",
      zh: {
        message: `服务器统计输出 ${server} token，分词器 ${tokenizer.name} 为 ${client}（${share}）；采用服务器的计数。`,
        advice: '请确认分词器与模型一致；服务器未返回的内容（特殊 token、工具调用）不在回答文本中。',
      },
    },
  ];
}
