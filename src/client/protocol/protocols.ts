import type { ApiName, Target } from '../../core/index.ts';
import { anthropic } from './anthropic.ts';
import { customProtocol } from './custom.ts';
import { dashscope } from './dashscope.ts';
import { embeddings, rerank } from './embeddings.ts';
import { ollama } from './ollama.ts';
import { openaiChat, openaiCompletions } from './openai.ts';
import type { Protocol } from './protocol.ts';
import { responses } from './responses.ts';
import { sglang } from './sglang.ts';
import { tgi } from './tgi.ts';
import { mindie, triton } from './triton.ts';
import { vllmGenerate } from './vllm-generate.ts';

/** Every wire, by name: adding one is a file and a line here (and its name in core/run-plan.ts). */
export const protocols: Readonly<Record<ApiName, Protocol>> = {
  'openai-chat': openaiChat,
  'openai-completions': openaiCompletions,
  responses,
  embeddings,
  rerank,
  tgi,
  triton,
  mindie,
  'vllm-generate': vllmGenerate,
  sglang,
  ollama,
  anthropic,
  dashscope,
  custom: customProtocol(null),
};

/** What says how a server is spoken to. */
export interface Spoken extends Pick<Target, 'api' | 'wire'> {
  /** A wire that a program brings, before all others; no part of a plan. */
  protocol?: Protocol;
}

/** The wire of a target, a described one and one that a program brings included. */
export function protocolFor(target: Spoken): Protocol {
  if (target.protocol !== undefined) return target.protocol;
  return target.wire === undefined ? protocols[target.api] : customProtocol(target.wire);
}
