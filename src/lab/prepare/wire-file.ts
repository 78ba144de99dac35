import { mistake, UserError } from '../../core/index.ts';
import type { CustomWire, Mistake } from '../../core/index.ts';
import { readYamlObject } from '../settings/plan-file.ts';

const texts = new Set([
  'path',
  'text',
  'reasoning',
  'input-tokens',
  'output-tokens',
  'finish',
  'error',
  'stream',
  'ends-by',
]);

/** Reads the description of a wire; everything wrong with it is told at once. */
export function readWireFile(file: string): CustomWire {
  const value = readYamlObject(file);
  const wrong: Mistake[] = [];
  const complain = (en: string, zh: string): void => {
    wrong.push(
      mistake('bad-wire', en, zh, 'docs/guide/protocols.md shows one.', '示例见 docs/guide/protocols.md。', { file }),
    );
  };
  const text = (name: string): string | null => {
    const given = Object.hasOwn(value, name) ? value[name] : null;
    if (given === null || typeof given === 'string') return given as string | null;
    complain(`"${name}" must be a text`, `"${name}" 必须是文本`);
    return null;
  };
  for (const name of Object.keys(value)) {
    if (name !== 'body' && !texts.has(name)) complain(`there is no "${name}"`, `没有 "${name}" 这一项`);
  }
  const { body } = value;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    complain('"body" must be a map: the template of what is sent', '"body" 必须是映射：请求体模板');
  }
  if (text('text') === null) complain('"text" must say where the answer stands', '"text" 必须指出回答所在位置');
  const cut = text('stream');
  const endsBy = text('ends-by') ?? 'body';
  if (cut !== null && cut !== 'events' && cut !== 'objects')
    complain('"stream" is events or objects', '"stream" 为 events 或 objects');
  if (endsBy !== 'finish' && endsBy !== 'body') complain('"ends-by" is finish or body', '"ends-by" 为 finish 或 body');
  if (wrong.length > 0) throw new UserError(wrong);
  return {
    path: text('path'),
    body: body as Record<string, unknown>,
    stream: cut === null ? null : { cut: cut as 'events' | 'objects', endsBy: endsBy as 'finish' | 'body' },
    text: text('text')!,
    reasoning: text('reasoning'),
    inputTokens: text('input-tokens'),
    outputTokens: text('output-tokens'),
    finish: text('finish'),
    error: text('error'),
  };
}
