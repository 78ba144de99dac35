import { BrokenPromise, say } from '../core/index.ts';
import type { Lang } from '../core/index.ts';
import { coloursFor } from './colours.ts';
import { chooseLang, langIn } from './terminal.ts';
import type { Terminal } from './terminal.ts';

/** Says that a promise of ours was broken; also where it was noticed outside of any command. */
export function tellBug(error: unknown, io: Terminal, lang: Lang = chooseLang(langIn(io.argv), io.env)): void {
  const paint = coloursFor(io, 'err');
  const kind = error instanceof BrokenPromise ? 'broken promise' : 'unexpected failure';
  const bug = say({ en: 'llmdyno has a bug', zh: 'llmdyno 出现了程序错误' }, lang);
  io.err(`${paint.red(bug)} (${kind}): ${error instanceof Error ? error.message : String(error)}\n`);
  if (error instanceof Error && error.stack !== undefined) io.err(`${error.stack}\n`);
  const after = {
    en: 'Please report it with the lines above. Runs already written are safe in the store.',
    zh: '请附上以上内容报告此问题。已写入的结果仍保存在存储目录中。',
  };
  io.err(`${say(after, lang)}\n`);
}
