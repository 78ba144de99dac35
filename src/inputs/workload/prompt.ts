import type { Message, Prompt } from '../../core/index.ts';

/** A plain question as a prompt: one user message for chat wires, the same text for completion wires. */
export function plainPrompt(id: string, text: string): Prompt {
  return {
    id,
    messages: [{ role: 'user', content: text }],
    text,
    inputTokens: null,
    maxTokens: null,
    labels: {},
  };
}

/** Characters (Unicode code points, so that 𠮷 and 😀 are one each) of everything a prompt says; images count nothing. */
export function inputCharsOf(prompt: Prompt): number {
  if (prompt.messages.length === 0) return charCount(prompt.text ?? '');
  let chars = 0;
  for (const message of prompt.messages) chars += messageChars(message);
  return chars;
}

function messageChars(message: Message): number {
  if (typeof message.content === 'string') return charCount(message.content);
  let chars = 0;
  for (const part of message.content) if (typeof part['text'] === 'string') chars += charCount(part['text']);
  return chars;
}

/** Unicode code points of a text: the second half of a surrogate pair is not a character of its own. */
export function charCount(text: string): number {
  let chars = text.length;
  for (let i = 1; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0xdc00 || unit > 0xdfff) continue;
    const before = text.charCodeAt(i - 1);
    if (before >= 0xd800 && before <= 0xdbff) chars -= 1;
  }
  return chars;
}
