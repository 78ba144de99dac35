import { gsm8kFormat } from './formats/gsm8k-format.ts';
import { linesFormat } from './formats/lines-format.ts';
import { longalpacaFormat } from './formats/longalpaca-format.ts';
import { messagesFormat } from './formats/messages-format.ts';
import { openqaFormat } from './formats/openqa-format.ts';
import { requestsFormat } from './formats/requests-format.ts';
import { sharegptChatFormat } from './formats/sharegpt-chat-format.ts';
import { sharegptFormat } from './formats/sharegpt-format.ts';
import { azureFormat, burstgptFormat, mooncakeFormat } from './formats/trace-formats.ts';
import type { RecordFormat } from './record-format.ts';

/** Every format of one prompt (or conversation) per record, by its word before the colon of `--dataset`. */
export const recordFormats = {
  openqa: openqaFormat,
  lines: linesFormat,
  messages: messagesFormat,
  requests: requestsFormat,
  sharegpt: sharegptFormat,
  'sharegpt-chat': sharegptChatFormat,
  gsm8k: gsm8kFormat,
  longalpaca: longalpacaFormat,
  mooncake: mooncakeFormat,
  azure: azureFormat,
  burstgpt: burstgptFormat,
} as const satisfies Record<string, RecordFormat>;

/** The name of one of them. */
export type RecordFormatName = keyof typeof recordFormats;
