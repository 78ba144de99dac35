import { defined, exitCodes, printable, say, userError } from '../../core/index.ts';
import type { Lang, Phrase, UserError } from '../../core/index.ts';
import { runMetrics, statistics, timeMetrics, trendOf } from '../../results/measure/index.ts';
import { tableText, trendScreen } from '../../results/report/index.ts';
import {
  deleteRun,
  findWhatever,
  listRuns,
  readPointTags,
  setFacts,
  tagPoints,
  tagRun,
} from '../../results/store/index.ts';
import type { ListedEntry } from '../../results/store/index.ts';
import {
  addressOf,
  anyText,
  entryNamed,
  flag,
  historyOf,
  isUnknownRun,
  one,
  reporters,
  sourcesOf,
} from '../../lab/index.ts';
import type { SettingsOf } from '../../lab/index.ts';
import { argument, example, makeCommand, printJson } from '../command.ts';
import type { ParsedCommand } from '../command.ts';
import { columnsOf } from '../terminal.ts';
import { reportOptions, showStored, sourcePlace } from '../show.ts';

const verbs = ['list', 'show', 'tag', 'untag', 'rename', 'set', 'delete', 'addresses'] as const;

const flags = {
  tag: one('tag TAG', anyText, 'list only what has this tag', '只列出带此标记的结果'),
  label: one('label TEXT', anyText, 'list only what has this in its label', '只列出标签中含此文字的结果'),
  model: one('model NAME', anyText, 'list only what has this in its model', '只列出模型名中含此文字的结果'),
  all: flag('all', 'list the runs inside sweeps and tunes too', '同时列出扫描与调优中的各个运行'),
  trend: one(
    'trend METRIC',
    metricNamed,
    'one metric over time instead of a list, such as ttft.p99, with the places where it surely changed (with --label or --tag)',
    '不列清单，而是显示某个指标随时间的走势（如 ttft.p99），并标出确定的变化点（可配合 --label 或 --tag）',
  ),
  yes: flag('yes', 'delete without asking', '删除时不再确认'),
};

type Asked = SettingsOf<typeof flags>;

export const command = makeCommand({
  about: { en: 'List, show, tag and delete what the store holds.', zh: '列出、查看、标记、删除已保存的结果。' },
  arguments: [
    argument(
      '[verb]',
      'list (default), show, tag, untag, rename, set, delete, addresses (how everything is written, for completion)',
      'list（默认）、show、tag、untag、rename、set、delete、addresses（全部地址，供补全使用）',
    ),
    argument(
      '[run]',
      'id, the beginning of one, label, tag, path, SWEEP/POINT, SWEEP[concurrency=100] or latest',
      'id、id 前缀、标签、标记、路径、SWEEP/POINT、SWEEP[concurrency=100] 或 latest',
    ),
    argument(
      '[tags...]',
      'tags to put on or take off; the new name; NAME=VALUE for set (model, engine, variant, card, cards, price, power, or a setting; empty takes it back)',
      '要添加或移除的标记；新名称；set 的 名称=值（model、engine、variant、card、cards、price、power 或某个设置；留空则撤销）',
    ),
  ],
  flags,
  examples: [
    example('dyno runs', 'what is there', '查看已有结果'),
    example(
      'dyno runs --trend ttft.p99 --label nightly',
      'how a metric went from night to night',
      '某个指标逐夜的走势',
    ),
    example('dyno runs show latest', 'the newest one in full', '查看最新一次的完整结果'),
    example('dyno runs tag latest baseline h200', 'tag it', '添加标记'),
    example('dyno runs rename latest "vLLM, bound to node 0"', 'call it otherwise', '改名'),
    example(
      'dyno runs set latest model=qwen2.5-7b card=h200 cards=1 price=12',
      'say what it was measured on',
      '补充测试环境',
    ),
    example('dyno runs addresses latest', 'how its points are written', '查看其各点的地址'),
    example('dyno runs delete 20261115-0423 --yes', 'delete one', '删除一个'),
  ],
  async run(given, asked) {
    const [verb = 'list', word, ...tags] = given.args;
    if (!(verbs as readonly string[]).includes(verb))
      throw userError(
        'usage',
        `dyno runs does not know "${verb}"`,
        `dyno runs 不支持 "${verb}"`,
        `It knows: ${verbs.join(', ')}.`,
        `可用：${verbs.join('、')}。`,
      );
    if (verb === 'list') return asked.trend === undefined ? list(given, asked) : trend(given, asked.trend, asked);
    if (verb === 'addresses') return addresses(given, word);
    if (word === undefined) throw missing('which run?', '要操作哪个运行？', verb);
    if (verb === 'show') return show(given, word);
    if (verb === 'delete') return remove(given, word, asked.yes === true);
    if (verb === 'rename') return rename(given, word, tags.join(' '));
    if (verb === 'set') return set(given, word, tags);
    if (tags.length === 0) throw missing('which tags?', '要用哪些标记？', verb);
    const change = verb === 'tag' ? { add: tags } : { remove: tags };
    const now = await tagRun(given.common.store, word, change).catch(async (error: unknown) => {
      if (!isUnknownRun(error)) throw error;
      const { entry, points } = await entryNamed(given.common.store, word);
      if (points === null) throw error;
      return tagPoints(entry.dir, points, change);
    });
    return printChange(given, { tags: now }, `${now.join(' ')}\n`);
  },
});

/** What a verb changed: one line of JSON, or its text. */
function printChange({ common, io }: ParsedCommand, document: Readonly<Record<string, unknown>>, text: string): number {
  io.out(common.json ? `${JSON.stringify(document)}\n` : text);
  return exitCodes.ok;
}

async function show(given: ParsedCommand, word: string): Promise<number> {
  const found = await findWhatever(given.common.store, word).catch((error: unknown) => {
    if (isUnknownRun(error)) return null;
    throw error;
  });
  if (found === null) {
    for (const { what } of await sourcesOf([word], sourcePlace(given)))
      given.io.out(reporters[given.common.json ? 'json' : 'text'](what, reportOptions(given)));
    return exitCodes.ok;
  }
  if (found.kind !== 'tune') return showStored(given, found, 'text');
  // Listing should not load what searches.
  const { showTune } = await import('../show-tune.ts');
  return showTune(given, found);
}

/** Calls a run, a sweep or points of one otherwise; what was recorded stays. */
async function rename(given: ParsedCommand, word: string, name: string): Promise<number> {
  if (name.trim() === '') throw missing('which name?', '新名称是什么？', 'rename');
  const { entry, points } = await entryNamed(given.common.store, word);
  // A point is told from the others by its variant, a run and a sweep by their name.
  await setFacts(entry.dir, points, points === null ? { name } : { name, variant: name });
  return said(given, { name });
}

/** Numbers among the facts, and the names that the user gives them. */
const numbers: Readonly<Record<string, string>> = { cards: 'cards', price: 'pricePerHour', power: 'powerW' };

async function set(given: ParsedCommand, word: string, pairs: readonly string[]): Promise<number> {
  if (pairs.length === 0) throw missing('what?', '要设置什么？', 'set');
  const change = Object.fromEntries(pairs.map(readPair));
  const { entry, points } = await entryNamed(given.common.store, word);
  await setFacts(entry.dir, points, change);
  return said(given, change);
}

function readPair(pair: string): [string, string | number | null] {
  const match = /^([A-Za-z_][\w.-]{0,63})=(.*)$/s.exec(pair);
  const [, name = '', value = ''] = match ?? [];
  const number = Object.hasOwn(numbers, name);
  const wrong = match === null || (number && value !== '' && !(Number(value) > 0));
  if (wrong) {
    throw userError(
      'bad-value',
      `"${printable(pair).slice(0, 60)}" is not NAME=VALUE${number ? ' with a number above 0' : ''}`,
      `"${printable(pair).slice(0, 60)}" 不是 名称=值${number ? '（值须为大于 0 的数）' : ''}`,
      'For example: dyno runs set latest engine=vLLM cards=4 price=12.',
      '例如：dyno runs set latest engine=vLLM cards=4 price=12。',
    );
  }
  const key = number ? numbers[name]! : name;
  return [key, value === '' ? null : number ? Number(value) : value];
}

function said(given: ParsedCommand, change: Readonly<Record<string, string | number | null>>): number {
  const lines = Object.entries(change).map(([key, value]) => `${key}=${printable(String(value ?? ''))}\n`);
  return printChange(given, change, lines.join(''));
}

/** How everything in the store is written; of one sweep, its points. */
async function addresses(given: ParsedCommand, word: string | undefined): Promise<number> {
  const lines: (string | null)[] = [];
  if (word === undefined) {
    const entries = await listRuns(given.common.store, {});
    if (entries.length > 0) lines.push('latest');
    for (const entry of entries) {
      lines.push(entry.id, ...(entry.kind === 'broken' ? [] : [entry.label, ...entry.tags]));
      if (entry.kind === 'sweep') lines.push(...(await readPointTags(entry.dir)).keys());
    }
  } else {
    for (const { sweep } of await sourcesOf([word], sourcePlace(given)))
      for (const [i, point] of sweep.points.entries())
        lines.push(addressOf(sweep, point), `${sweep.id}/p${String(i + 1).padStart(2, '0')}`);
  }
  const unique = [...new Set(lines)].flatMap((line) => (line === null || line === '' ? [] : [printable(line)]));
  return printChange(given, { addresses: unique }, unique.map((line) => `${line}\n`).join(''));
}

/** One metric over what a label or tag names: a curve for each load, and where it changed. */
async function trend(given: ParsedCommand, metric: string, { tag, label, model = '' }: Asked): Promise<number> {
  const { store, json, lang } = given.common;
  const history = await historyOf(store, defined({ tag, label }));
  const curves = trendOf(
    history.filter(({ summary }) => (summary.model ?? '').toLowerCase().includes(model.toLowerCase())),
    metric,
  );
  if (json) printJson(given, { schema: 'llmdyno.trend/1', metric, curves });
  else if (curves.length === 0)
    given.io.err(
      `${say({ en: 'No finished run has that label or tag; dyno runs lists what is there.', zh: '没有带该标签或标记的已完成运行；dyno runs 可列出已有结果。' }, lang)}\n`,
    );
  else given.io.out(trendScreen(curves, metric, reportOptions(given)));
  return exitCodes.ok;
}

/** A metric word as in --slo; a time without a statistic is its mean. */
function metricNamed(word: string): string {
  const [name = '', statistic, ...more] = word.split('.');
  const isTime = (timeMetrics as readonly string[]).includes(name);
  const isRate = (runMetrics as readonly string[]).includes(name);
  const known =
    statistic === undefined ? isTime || isRate : isTime && (statistics as readonly string[]).includes(statistic);
  if (known && more.length === 0) return isTime && statistic === undefined ? `${name}.mean` : word;
  throw userError(
    'unknown-metric',
    `there is no metric "${printable(word).slice(0, 60)}"`,
    `没有指标 "${printable(word).slice(0, 60)}"`,
    `Write for example ttft.p99, tpot.p50, outputTokensPerSec. Metrics: ${timeMetrics.join(', ')} (.${statistics.join(' .')}); ${runMetrics.join(', ')}.`,
    `例如 ttft.p99、tpot.p50、outputTokensPerSec。可用指标：${timeMetrics.join(', ')} (.${statistics.join(' .')})；${runMetrics.join(', ')}。`,
  );
}

async function list(given: ParsedCommand, { tag, label, model, all = false }: Asked): Promise<number> {
  const { store, json, lang } = given.common;
  const entries = await listRuns(store, { inside: all, ...defined({ tag, label, model }) });
  if (json) {
    printJson(given, { schema: 'llmdyno.runs/1', runs: entries.map(asJson) });
    return exitCodes.ok;
  }
  if (entries.length === 0) {
    const asked = [tag, label, model].some((value) => value !== undefined);
    given.io.err(
      asked
        ? `${say({ en: `Nothing in ${store} has that; dyno runs lists what is there.`, zh: `${store} 中没有符合条件的结果；dyno runs 可列出全部。` }, lang)}\n`
        : `${say({ en: `Nothing in ${store} yet. Make something: dyno demo, or dyno run URL`, zh: `${store} 中还没有结果。可运行：dyno demo 或 dyno run URL` }, lang)}\n`,
    );
    return exitCodes.ok;
  }
  const head = {
    en: ['id', 'kind', 'label', 'model', 'state', 'tags'],
    zh: ['id', '类型', '标签', '模型', '状态', '标记'],
  };
  const rows = entries.map((entry) => row(entry, given));
  given.io.out(`${tableText(head[lang], rows, columnsOf(given.io))}\n`);
  return exitCodes.ok;
}

function row(entry: ListedEntry, given: ParsedCommand): string[] {
  const { lang } = given.common;
  if (entry.kind === 'broken') {
    return [
      entry.id,
      say({ en: 'broken', zh: '损坏' }, lang),
      '',
      '',
      printable(say(entry.why, lang)).slice(0, 60),
      '',
    ];
  }
  const state = entry.finished ? say({ en: 'finished', zh: '完成' }, lang) : say({ en: 'partial', zh: '未完成' }, lang);
  const [model = '', ...more] = entry.models;
  return [
    entry.id,
    kindOf(entry, lang),
    printable(entry.label ?? ''),
    `${printable(model)}${more.length > 0 ? ' …' : ''}`,
    state,
    entry.tags.join(' '),
  ];
}

function kindOf(entry: Exclude<ListedEntry, { kind: 'broken' }>, lang: Lang): string {
  const mark = entry.simulation === null ? '' : `, ${say(simulationWords[entry.simulation], lang)}`;
  return `${plainKindOf(entry, lang)}${mark}`;
}

const simulationWords = {
  run: { en: 'simulated', zh: '模拟' },
  engine: { en: 'simulated engine', zh: '模拟引擎' },
} as const satisfies Record<string, Phrase>;

function plainKindOf(entry: Exclude<ListedEntry, { kind: 'broken' }>, lang: Lang): string {
  if (entry.kind === 'run') return say({ en: 'run', zh: '运行' }, lang);
  const count = entry.kind === 'sweep' ? entry.record.points.length : entry.record.trials.length;
  return entry.kind === 'sweep'
    ? say({ en: `sweep of ${count}`, zh: `扫描 ${count} 点` }, lang)
    : say({ en: `tune of ${count}`, zh: `调优 ${count} 次` }, lang);
}

function asJson(entry: ListedEntry): Record<string, unknown> {
  if (entry.kind === 'broken') return { id: entry.id, kind: entry.kind, why: entry.why.en };
  const { id, kind, label, tags, finished, record, simulation } = entry;
  const simulated = { simulated: simulation === 'run', simulatedEngine: simulation === 'engine' };
  return { id, kind, label, models: entry.models, tags, finished, startedAt: record.startedAt, ...simulated };
}

async function remove(given: ParsedCommand, word: string, isMeant: boolean): Promise<number> {
  if (!isMeant) {
    throw userError(
      'delete-needs-yes',
      `"${word}" would be deleted for good`,
      `"${word}" 将被永久删除`,
      'Say --yes if that is meant.',
      '确认删除请加 --yes。',
    );
  }
  const id = await deleteRun(given.common.store, word).catch(async (error: unknown) => {
    const inside = isUnknownRun(error) ? await entryNamed(given.common.store, word).catch(() => null) : null;
    if (inside === null || inside.points === null) throw error;
    throw userError(
      'delete-refused',
      `"${printable(word)}" is a point inside of ${inside.entry.id}: points are not deleted alone`,
      `"${printable(word)}" 是 ${inside.entry.id} 中的点，不能单独删除`,
      `dyno runs delete ${inside.entry.id} --yes deletes all of it.`,
      `dyno runs delete ${inside.entry.id} --yes 可将其整体删除。`,
    );
  });
  return printChange(given, { deleted: id }, `${say({ en: 'deleted', zh: '已删除' }, given.common.lang)} ${id}\n`);
}

function missing(en: string, zh: string, verb: string): UserError {
  return userError(
    'usage',
    en,
    zh,
    `dyno runs ${verb} RUN …; dyno runs lists them.`,
    `dyno runs ${verb} RUN …；dyno runs 可列出。`,
  );
}
