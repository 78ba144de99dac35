import { jsonIn, membersOf } from '../../core/index.ts';
import type { DatasetFacts, Prompt, Target } from '../../core/index.ts';
import { fetchOnce } from '../../client/load/index.ts';
import type { Secrets } from '../../client/load/index.ts';
import { note } from '../world.ts';
import type { World } from '../world.ts';

const tokenizeTimeoutMs = 3000;

/** Says before the run what people would take wrong about prompt lengths: a template's share, a server that counts otherwise. */
export async function noteLengths(
  world: Pick<World, 'notify' | 'quiet'>,
  target: Target,
  secrets: Secrets,
  facts: DatasetFacts,
  first: Prompt | null,
): Promise<void> {
  if (world.quiet) return;
  const { templateChars, templateTokens } = facts.settings ?? {};
  if (typeof templateChars === 'number') {
    const tokens = typeof templateTokens === 'number' ? templateTokens : null;
    const en = `${templateChars} characters${tokens === null ? '' : `, ${tokens} tokens`}`;
    const zh = `${templateChars} 个字符${tokens === null ? '' : `、${tokens} 个 token`}`;
    note(world, `note: the template itself adds ${en} to every prompt`, `提示：模板本身为每个提示词增加 ${zh}`);
  }
  if (first?.text == null || first.inputTokens === null) return;
  const counted = await serverCount(target, secrets, first.text);
  if (counted === null || counted === first.inputTokens) return;
  note(
    world,
    `note: the server's /tokenize counts ${counted} tokens in the first prompt, ${first.inputTokens} were planned; give the model's own --tokenizer`,
    `提示：服务器 /tokenize 统计首个提示词为 ${counted} token，计划为 ${first.inputTokens}；请用 --tokenizer 指定模型自带的分词器`,
  );
}

/** Tokens of a text by the server's own /tokenize (vLLM, SGLang); null = it has none. */
async function serverCount(target: Target, secrets: Secrets, text: string): Promise<number | null> {
  const body = JSON.stringify({ model: target.model, prompt: text, add_special_tokens: false });
  const call = {
    method: 'POST',
    url: `${new URL(target.url).origin}/tokenize`,
    body,
  } as const;
  const fetched = await fetchOnce(target, call, secrets, tokenizeTimeoutMs);
  if (fetched.status !== 200 || fetched.problem !== null) return null;
  const { count } = membersOf(jsonIn(fetched.body));
  return typeof count === 'number' ? count : null;
}
