import { mistake, UserError } from '../../core/index.ts';
import type { Mistake, Prompt } from '../../core/index.ts';
import { openTokenizer, textOf } from '../../inputs/dataset/index.ts';
import type { Prepared } from './prepare.ts';

/** Prompts looked at before a run. */
const mostChecked = 5000;
const mostMistakes = 10;
/** No ordinary text has more characters per token than this: above, it is too long whatever the vocabulary. */
const mostCharsPerToken = 10;

/**
 * Refuses prompts that the model cannot take, before anything is sent. Tokens are those that the dataset plans, else those that
 * the tokenizer counts; without either only what is too long by any count is refused, and the rest is left to the server.
 */
export async function checkFit(prepared: Prepared, prompts: number | null): Promise<void> {
  const { settings, dataset, contextTokens } = prepared;
  if (contextTokens === null) return;
  const tokenizer = settings.tokenizer === undefined ? null : await openTokenizer(settings.tokenizer);
  const workload = dataset.workload(0);
  const mistakes: Mistake[] = [];
  const seen = new Set<string>();
  const count = Math.min(prompts ?? mostChecked, mostChecked);
  for (let i = 0; i < count && mistakes.length < mostMistakes; i++) {
    const prompt = await workload.next();
    if (prompt === null || seen.has(prompt.id)) break;
    seen.add(prompt.id);
    const answer = prompt.maxTokens ?? settings.maxTokens ?? 1;
    const known = prompt.inputTokens ?? tokenizer?.count(textOf(prompt)) ?? null;
    const least = known ?? Math.floor(textOf(prompt).length / mostCharsPerToken);
    if (least + answer > contextTokens) mistakes.push(tooLong(prompt, least, answer, contextTokens, known !== null));
  }
  if (mistakes.length > 0) throw new UserError(mistakes);
}

function tooLong({ id }: Prompt, input: number, answer: number, limit: number, exact: boolean): Mistake {
  const [en, zh] = exact ? ['', ''] : ['at least ', '至少 '];
  return mistake(
    'dataset-prompt-too-long',
    `prompt ${id} takes ${en}${input} tokens and its answer up to ${answer}; the model takes ${limit} together`,
    `提示词 ${id} ${zh}${input} token，回答最多 ${answer}；模型合计最多 ${limit}`,
    'Shorten the prompt, lower --output-tokens or --max-tokens, or raise the limit of the server; --context-tokens COUNT says another limit.',
    '请缩短提示词、降低 --output-tokens 或 --max-tokens，或提高服务器上限；--context-tokens 可指定其他上限。',
    '--dataset',
  );
}
