import type { Message } from '../../../core/index.ts';
import { wrongShape } from '../layout-mistakes.ts';
import { fieldOf } from '../record-format.ts';
import type { RecordFormat } from '../record-format.ts';

const roles = ['system', 'user', 'assistant', 'tool'] as const;

/** A list of chat messages per record, as it stands or under `messages`; asked as one request. */
export const messagesFormat: RecordFormat = {
  about: {
    en: 'chat messages: a list per line, or {"messages": […]}; sent as they stand',
    zh: '对话消息：每行一个列表，或 {"messages": […]}；原样发送',
  },
  example: '{"messages": [{"role": "system", "content": "Be short."}, {"role": "user", "content": "Hello"}]}',
  anyJson: true,
  field: 'messages',
  read(record, place) {
    const messages = messagesOf(Array.isArray(record) ? record : fieldOf(record, 'messages'));
    if (messages === null) {
      return {
        mistake: wrongShape(place, 'messages', {
          en: 'a list of {"role", "content"} with a known role was expected',
          zh: '应为 {"role", "content"} 列表，且 role 有效',
        }),
      };
    }
    return { draft: { messages } };
  },
};

/** Chat messages out of a stranger's JSON; null = they are none. */
export function messagesOf(value: unknown): Message[] | null {
  if (!Array.isArray(value) || value.length === 0) return null;
  const messages: Message[] = [];
  for (const item of value as unknown[]) {
    const role = fieldOf(item, 'role');
    const content = fieldOf(item, 'content');
    const known = roles.find((name) => name === role);
    if (known === undefined || (typeof content !== 'string' && !Array.isArray(content))) return null;
    messages.push({ ...(item as object), role: known, content: content as string });
  }
  return messages;
}
