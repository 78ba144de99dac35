import { wrongShape } from '../layout-mistakes.ts';
import { fieldOf } from '../record-format.ts';
import type { RecordFormat } from '../record-format.ts';
import { messagesOf } from './messages-format.ts';

const askers = new Set(['human', 'user']);

/** ShareGPT (or message lists) held turn by turn: what the user said is asked, the server's own answers stand between. */
export const sharegptChatFormat: RecordFormat = {
  about: {
    en: "ShareGPT held as conversations: every user turn is asked in order, with the server's own answers as history",
    zh: 'ShareGPT 多轮对话：依次发送每个用户轮次，以服务器自己的回答作为历史',
  },
  example:
    '{"conversations": [{"from": "human", "value": "…"}, {"from": "gpt", "value": "…"}, {"from": "human", "value": "…"}]}',
  filters: true,
  conversations: true,
  anyJson: true,
  field: 'conversations',
  read(record, place) {
    const script = scriptOf(record);
    if (script === null) {
      return {
        mistake: wrongShape(place, 'sharegpt-chat', {
          en: 'neither a list "conversations" nor messages',
          zh: '既没有列表 "conversations" 也没有消息列表',
        }),
      };
    }
    if (script.turns.length === 0) return { skip: { en: 'no user turn', zh: '没有用户轮次' } };
    return { draft: { script: { ...script, maxTokens: [] } } };
  },
};

function scriptOf(record: unknown): { system: string | null; turns: string[] } | null {
  const messages = messagesOf(Array.isArray(record) ? record : fieldOf(record, 'messages'));
  const said =
    messages === null
      ? fieldOf(record, 'conversations')
      : messages.map(({ role, content }) => ({ from: role, value: content }));
  if (!Array.isArray(said)) return null;
  const turns: string[] = [];
  let system: string | null = null;
  for (const turn of said as unknown[]) {
    const [from, value] = [fieldOf(turn, 'from'), fieldOf(turn, 'value')];
    if (typeof value !== 'string' || value.trim() === '') continue;
    if (from === 'system' && turns.length === 0) system = value;
    else if (typeof from === 'string' && askers.has(from)) turns.push(value);
  }
  return { system, turns };
}
