import type { Message } from '../../core/index.ts';

/** What a string of JSON cannot hold as it stands: quotes, backslashes, control characters, and halves of characters, which may lack the other one. */
const needsEscape = /["\\\u0000-\u001f\ud800-\udfff]/;

/** A prompt as JSON. Nearly always it is one plain text, and looking at that is a fifth of what JSON.stringify takes for a short one. */
export function promptJson(prompt: string | readonly Message[]): string {
  if (typeof prompt === 'string') return stringJson(prompt);
  const only = prompt[0];
  if (prompt.length !== 1 || only === undefined || !isPlain(only)) return JSON.stringify(prompt);
  return `[{"role":${stringJson(only.role)},"content":${stringJson(only.content)}}]`;
}

function stringJson(text: string): string {
  return needsEscape.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/** A message that a dataset brought may hold more than we know of (a name, calls of tools), or less. */
function isPlain(message: Message): message is Message & { content: string } {
  for (const name in message) if (name !== 'role' && name !== 'content') return false;
  return typeof message.role === 'string' && typeof message.content === 'string';
}
