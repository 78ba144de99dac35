import type { ApiName } from '../core/index.ts';
import { openaiChat, openaiCompletions } from './openai.ts';
import type { Protocol } from './protocol.ts';

/** Every wire, by name: adding one is a file and a line here (and its name in core/run-plan.ts). */
export const protocols = {
  'openai-chat': openaiChat,
  'openai-completions': openaiCompletions,
} satisfies Record<ApiName, Protocol>;
