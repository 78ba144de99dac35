import type { Finding, RunPlan } from '../core/index.ts';
import { fetchOnce } from '../client/load/index.ts';
import type { Afterwards } from './execute-run.ts';
import type { Prepared } from './prepare/prepare.ts';
import { note } from './world.ts';
import type { World } from './world.ts';

const timeoutMs = 10_000;

/** How engines are told to forget the prompts they have read: vLLM (in its development mode), SGLang. */
const ways = ['/reset_prefix_cache', '/flush_cache'] as const;

/** Empties the server's prefix cache before a point, where that was asked for; gives the doubt to tell where it cannot be. */
export async function flushCache(
  world: World,
  { settings, secrets }: Prepared,
  { target }: RunPlan,
): Promise<Finding | null> {
  if (settings.flushCache !== true) return null;
  const answers: string[] = [];
  for (const path of ways) {
    const url = new URL(path, target.url).href;
    const { status, problem } = await fetchOnce(target, { method: 'POST', url, body: '' }, secrets, timeoutMs);
    if (status !== null && status >= 200 && status < 300) return null;
    answers.push(`${path}: ${status ?? problem?.code ?? '?'}`);
  }
  const doubt = notFlushed(answers.join(', '));
  note(world, `note: ${doubt.message}`, `提示：${doubt.zh.message}`);
  return doubt;
}

/** What is looked at after the run, with a doubt that was there before it. */
export function withDoubt(afterwards: Afterwards | undefined, doubt: Finding | null): Afterwards | undefined {
  if (doubt === null) return afterwards;
  return async (dir) => {
    const found = (await afterwards?.(dir)) ?? { recounted: false, accuracy: null, findings: [] };
    return { ...found, findings: [...found.findings, doubt] };
  };
}

function notFlushed(answers: string): Finding {
  return {
    code: 'cache-not-flushed',
    severity: 'warn',
    message: `The server's prefix cache could not be emptied (${answers}).`,
    evidence: { answers },
    advice:
      'vLLM takes POST /reset_prefix_cache only when it was started with VLLM_SERVER_DEV_MODE=1, SGLang POST /flush_cache when nothing is running; else start the server again, or ask new prompts.',
    zh: {
      message: `无法清空服务器的前缀缓存（${answers}）。`,
      advice:
        'vLLM 仅在以 VLLM_SERVER_DEV_MODE=1 启动时接受 POST /reset_prefix_cache，SGLang 在空闲时接受 POST /flush_cache；否则请重启服务器，或换用新的提示词。',
    },
  };
}
