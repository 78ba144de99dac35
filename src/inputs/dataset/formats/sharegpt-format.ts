import { wrongShape } from '../layout-mistakes.ts';
import { fieldOf } from '../record-format.ts';
import type { RecordFormat, RecordRead } from '../record-format.ts';
import { invariant } from '../../../core/index.ts';

/** vLLM's limits for ShareGPT, in tokens. */
const least = 4;
const mostPrompt = 1024;
const mostTotal = 2048;

/**
 * ShareGPT by the rules of vLLM's benchmark: conversations of at least two turns, the first turn is the prompt and the
 * second gives the answer's length, whoever said them; prompt 4…1024 tokens, answer at least 4 (unless its length is
 * given), both together at most 2048. Tokens are counted with the special ones, as there.
 */
export const sharegptFormat: RecordFormat = {
  about: {
    en: "ShareGPT JSON by vLLM's rules: first pair of turns, prompt 4…1024 tokens, answer ≥ 4, together ≤ 2048 (--tokenizer needed)",
    zh: 'ShareGPT JSON，按 vLLM 规则筛选：取首轮问答，提示词 4…1024 token，回答 ≥ 4，合计 ≤ 2048（需要 --tokenizer）',
  },
  example: '{"conversations": [{"from": "human", "value": "…"}, {"from": "gpt", "value": "…"}]}',
  filters: true,
  needsTokenizer: true,
  field: 'conversations',
  read(record, place, { tokenizer, output }): RecordRead {
    invariant(tokenizer !== null, 'a tokenizer was asked for before');
    const turns = fieldOf(record, 'conversations') ?? fieldOf(record, 'conversation');
    if (!Array.isArray(turns)) {
      return {
        mistake: wrongShape(place, 'sharegpt', { en: 'no list "conversations"', zh: '没有列表 "conversations"' }),
      };
    }
    if (turns.length < 2) return skip('fewer than two turns', '少于两轮');
    const [prompt, answer] = [fieldOf(turns[0], 'value'), fieldOf(turns[1], 'value')];
    if (typeof prompt !== 'string' || typeof answer !== 'string') {
      return {
        mistake: wrongShape(place, 'sharegpt', { en: 'a turn without a text "value"', zh: '某一轮没有文本 "value"' }),
      };
    }
    const promptTokens = tokenizer.countWithSpecial(prompt);
    const fixed = output?.law === 'fixed' ? output.tokens : null;
    const answerTokens = fixed ?? tokenizer.countWithSpecial(answer);
    if (promptTokens < least) return skip(`prompt shorter than ${least} tokens`, `提示词少于 ${least} token`);
    if (fixed === null && answerTokens < least)
      return skip(`answer shorter than ${least} tokens`, `回答少于 ${least} token`);
    if (promptTokens > mostPrompt)
      return skip(`prompt longer than ${mostPrompt} tokens`, `提示词超过 ${mostPrompt} token`);
    if (promptTokens + answerTokens > mostTotal)
      return skip(`together longer than ${mostTotal} tokens`, `合计超过 ${mostTotal} token`);
    return { draft: { text: prompt, inputTokens: promptTokens, maxTokens: answerTokens } };
  },
};

function skip(en: string, zh: string): RecordRead {
  return { skip: { en, zh } };
}
