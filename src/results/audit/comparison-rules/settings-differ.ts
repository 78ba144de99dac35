import type { Phrase, Summary } from '../../../core/index.ts';
import type { ComparedRun } from '../../measure/index.ts';
import type { ComparisonRule } from '../rule.ts';

type Known = string | number | boolean | null | undefined;

/** What was set: each with its words, and whether another value makes any comparison meaningless. */
const settings: readonly { name: Phrase; grave?: true; of(run: ComparedRun): Known }[] = [
  { name: { en: 'load', zh: '负载' }, grave: true, of: ({ summary }) => loadWord(summary) },
  { name: { en: 'streaming', zh: '流式' }, of: ({ summary }) => summary.load.stream },
  { name: { en: 'model', zh: '模型' }, of: ({ summary }) => summary.model },
  { name: { en: 'dataset', zh: '数据集' }, of: ({ plan }) => plan?.dataset.hash },
  { name: { en: 'max tokens', zh: '最大 token 数' }, of: ({ plan }) => plan?.generation.maxTokens },
  { name: { en: 'reality', zh: '真实性' }, of: ({ summary }) => realityOf(summary) },
];

/** The two were not asked the same, or not by the same. */
export const settingsDiffer: ComparisonRule = {
  code: 'settings-differ',
  severities: ['warn', 'invalid'],
  meaning: {
    en: 'The two differ in load, streaming, model, dataset, token limit, or in whether an engine is real, so a difference in figures says nothing about the server. Another load makes them not comparable.',
    zh: '两者的负载、流式设置、模型、数据集、token 上限或引擎真实性不同，数值差异不能说明服务器的优劣。负载不同则不可比。',
  },
  taughtBy:
    'A published comparison sets eight 910B4 beside four T4 at 150, 200 and 256 on one side and 150, 200 and 300 on the other.',
  check(baseline, other) {
    const differing = settings
      .map((setting) => ({ ...setting, a: setting.of(baseline), b: setting.of(other) }))
      .filter(({ a, b }) => a !== null && b !== null && a !== undefined && b !== undefined && a !== b);
    if (differing.length === 0) return null;
    return {
      severity: differing.some(({ grave }) => grave === true) ? 'invalid' : 'warn',
      message: {
        en: `not the same ${differing.map(({ name, a, b }) => `${name.en} (${a} / ${b})`).join(', ')}.`,
        zh: `${differing.map(({ name, a, b }) => `${name.zh}（${a} / ${b}）`).join('、')}不同。`,
      },
      evidence: Object.fromEntries([
        ['differing', differing.map(({ name }) => name.en).join(', ')],
        ['baseline', differing.map(({ a }) => String(a)).join(', ')],
        ['candidate', differing.map(({ b }) => String(b)).join(', ')],
      ]),
      advice: {
        en: 'A difference may come from this and not from the engine; run both the same way.',
        zh: '差异可能来自此处而非引擎；请以相同方式运行两者。',
      },
    };
  },
};

function loadWord({ load }: Summary): string | null {
  if (load.concurrency === null && load.ratePerSec === null) return null;
  return `${load.kind ?? ''} ${load.concurrency ?? '-'} ${load.ratePerSec ?? '-'}`;
}

/** What a result is of, in a word; null = an import, of which nobody can say. */
function realityOf({ simulated, engine, source }: Summary): string | null {
  if (simulated) return 'simulated';
  if (engine?.simulated === true) return 'simulated engine';
  return source.tool === 'llmdyno' ? 'measured' : null;
}
