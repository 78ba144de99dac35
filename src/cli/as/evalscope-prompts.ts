import type { Prompt } from '../../core/index.ts';
import type { Tokenizer } from '../../inputs/dataset/index.ts';
import { inputCharsOf } from '../../inputs/workload/index.ts';
import type { Choice } from './chosen-prompts.ts';

/**
 * evalscope's filter on the length of a prompt: characters, or tokens where a tokenizer is given; both limits are
 * outside what is kept, as in its code (`min < length < max`).
 */
export function lengthChoice(limits: {
  most: number | null;
  min: number;
  max: number;
  tokenizer?: Tokenizer | null;
}): Choice {
  const { most, min, max, tokenizer = null } = limits;
  const unit = tokenizer === null ? { en: 'characters', zh: '字符' } : { en: 'tokens', zh: 'token' };
  return {
    most,
    keep: (prompt) => {
      const length = tokenizer === null ? inputCharsOf(trimmed(prompt)) : tokenizer.count(prompt.text ?? '');
      return length > min && length < max;
    },
    change: trimmed,
    noRepeat: most === null,
    rule: {
      en: `prompts of more than ${min} and fewer than ${max} ${unit.en}`,
      zh: `长度大于 ${min} 且小于 ${max} ${unit.zh}的提示词`,
    },
  };
}

/** Blanks around a question are taken off before it is measured and sent. */
function trimmed(prompt: Prompt): Prompt {
  const [only] = prompt.messages;
  if (prompt.messages.length !== 1 || prompt.text === null || typeof only?.content !== 'string') return prompt;
  const text = prompt.text.trim();
  return text === prompt.text ? prompt : { ...prompt, text, messages: [{ ...only, content: text }] };
}
