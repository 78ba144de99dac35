import type { Body, CallKind } from './read-call.ts';

/** An endpoint that generates; `generate` is TGI's, vLLM's or SGLang's, which only the body tells (as MindIE has it for the first two). */
export type Route = CallKind | 'generate';

const routes: Readonly<Record<string, Route>> = {
  '/v1/chat/completions': 'chat',
  '/v1/completions': 'completions',
  '/v1/responses': 'responses',
  '/v1/embeddings': 'embeddings',
  '/v1/rerank': 'rerank',
  '/rerank': 'rerank',
  '/generate': 'generate',
  '/': 'generate',
  '/generate_stream': 'tgi-stream',
  '/infer': 'infer',
  '/api/chat': 'ollama-chat',
  '/api/generate': 'ollama-generate',
  '/v1/messages': 'anthropic',
  '/api/v1/services/aigc/text-generation/generation': 'dashscope',
};

const patterns: readonly (readonly [RegExp, Route])[] = [
  [/^\/v2\/models\/([^/]+)\/generate$/, 'triton'],
  [/^\/v2\/models\/([^/]+)\/generate_stream$/, 'triton-stream'],
  [/^\/openai\/deployments\/([^/]+)\/chat\/completions$/, 'chat'],
  [/^\/openai\/deployments\/([^/]+)\/completions$/, 'completions'],
];

/** What a path leads to, and the model that it names; null = nothing that generates. */
export function routeOf(path: string): { route: Route; model: string | null } | null {
  if (Object.hasOwn(routes, path)) return { route: routes[path]!, model: null };
  for (const [pattern, route] of patterns) {
    const match = pattern.exec(path);
    if (match !== null) return { route, model: decoded(match[1]!) };
  }
  return null;
}

const sglangFields = ['text', 'input_ids', 'sampling_params'];

/** The endpoint of a route, once the body is known. */
export function kindOf(route: Route, body: Body): CallKind {
  if (route !== 'generate') return route;
  if ('inputs' in body) return 'tgi';
  return sglangFields.some((field) => field in body) ? 'sglang' : 'vllm-generate';
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
