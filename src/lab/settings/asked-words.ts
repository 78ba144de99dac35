import { someText } from './readers.ts';
import { BadValue, many, one } from './setting.ts';

/** What a point is called beside its load and lengths: told by who runs it, because a client cannot see it. They are part of planSettings. */
export const askedWords = {
  variant: one(
    'variant',
    'NAME',
    someText,
    'which of several ways of running the same thing this is (a binding, a build): a column, and SWEEP[variant=NAME]',
    '同一服务的哪种运行方式（绑核、版本等）：作为一列，并可用 SWEEP[variant=NAME] 引用',
  ),
  set: many(
    'set',
    'NAME=VALUE',
    'repeat',
    settingWord,
    'a setting that the server was started with, under its own name (max_num_seqs=64): kept with the result, not sent; repeatable',
    '服务器启动时的设置，用其自身名称（max_num_seqs=64）：随结果保存，不发送；可重复',
  ),
};

function settingWord(text: string): readonly [name: string, value: string] {
  const match = /^\s*([A-Za-z][\w.[\]-]{0,99})\s*=\s*(.{1,200}?)\s*$/.exec(text);
  if (match !== null) return [match[1]!, match[2]!];
  throw new BadValue(
    { en: `"${text.slice(0, 60)}" is no setting`, zh: `"${text.slice(0, 60)}" 不是有效的设置` },
    { en: 'Write NAME=VALUE, such as --set max_num_seqs=64.', zh: '请写 名称=值，如 --set max_num_seqs=64。' },
  );
}
