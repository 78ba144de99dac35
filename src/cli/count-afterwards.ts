import type { Exchange, Finding, RunPlan } from '../core/index.ts';
import { answersNumber, openTokenizer, textOf } from '../dataset/index.ts';
import type { Tokenizer } from '../dataset/index.ts';
import type { Afterwards } from '../run/index.ts';
import { readAnswers, readExchanges, rewriteExchanges } from '../store/index.ts';
import type { Prepared } from './prepare.ts';

/** Counts of the server and of the tokenizer that differ by more than this are told. */
const noticed = 0.1;

/**
 * What is done once the load is over, off the timed path: tokens are counted with the model's tokenizer, answers are
 * checked against the dataset's. undefined = there is nothing to do.
 */
export function afterwardsOf(prepared: Prepared, plan: RunPlan): Afterwards | undefined {
  const folder = prepared.words.tokenizer;
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
  const wanted = new Set<string>();
  let sent = 0;
  for await (const exchange of readExchanges({ dir })) {
    if (!isSent(exchange)) continue;
    wanted.add(exchange.promptId);
    sent += 1;
  }
  const counts = new Map<string, number>();
  const workload = prepared.dataset.workload(plan.dataset.offset);
  for (let i = 0; i < sent && counts.size < wanted.size; i++) {
    const prompt = await workload.next();
    if (prompt === null) break;
    if (wanted.has(prompt.id) && !counts.has(prompt.id)) counts.set(prompt.id, tokenizer.count(textOf(prompt)));
  }
  return counts;
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
