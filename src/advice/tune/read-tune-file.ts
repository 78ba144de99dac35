import type { Mistake, Phrase } from '../../core/index.ts';
import { UserError } from '../../core/index.ts';
import { runMetrics, statistics, timeMetrics } from '../../results/measure/index.ts';
import { engineFamily, roleOf } from './engine-family.ts';
import { BadExpression, parseExpression } from './expression.ts';
import type { Expression } from './expression.ts';
import { withGoal } from './goal.ts';
import type { Goal } from './goal.ts';
import { readSlos } from './goal-metrics.ts';
import type { Objective } from './goal-metrics.ts';
import { planLimits, prunedByPlan } from './plan-limits.ts';
import type { TuneProblem } from './problem.ts';
import { serverWordsOf } from './server-words.ts';
import type { ServerWords } from './server-words.ts';
import type { Settings, SettingValue } from './setting.ts';
import { loadNames } from './space.ts';
import type { Derived, Knob } from './space.ts';
import { tuneFileSchema } from './tune-file-schema.ts';
import type { RangeWords, TuneFile } from './tune-file-schema.ts';
import { readYaml } from './yaml-lines.ts';

/** A tune file understood: the search, how the server is handled, and the words that go on to the run. */
export interface TuneRequest {
  name: string | null;
  problem: TuneProblem;
  server: ServerWords;
  url: string | null;
  /** Plan words of each run, as texts, with their line for mistakes. */
  workload: { name: string; texts: string[]; line: number }[];
  budgetHours: number | null;
  variants: { name: string; settings: Settings }[];
  repeats: number;
}

const defaultRuns = 10;
const defaultRepeats = 5;
const mostValues = 4096;

/** Reads a tune file; every mistake is told at once, with its line. */
export function readTuneFile(text: string, file: string, goal: Goal | null): TuneRequest {
  const yaml = readYaml(text, file);
  if (yaml.mistakes.length > 0) throw new UserError(yaml.mistakes);
  const mistakes: Mistake[] = [];
  const wrong: Wrong = (path, message, hint, code = 'bad-tune-file') => {
    mistakes.push({ code, message, hint, place: { file, line: yaml.lineOf(path), field: path.map(String).join('.') } });
  };
  const checked = tuneFileSchema.safeParse(yaml.value ?? {});
  if (!checked.success) {
    for (const issue of checked.error.issues) tellIssue(issue, wrong);
    throw new UserError(mistakes);
  }
  const words = goal === null ? checked.data : withGoal(checked.data, goal);
  const limits = planLimits(words, wrong);
  const read = readSpace(words, wrong);
  const space = { ...read, knobs: prunedByPlan(read.knobs, limits) };
  const { slos, mistakes: badSlos } = readSlos([words.slo ?? []].flat());
  for (const { code, message, hint } of badSlos) wrong(['slo'], message, hint, code);
  const objective = readObjective(words, wrong);
  const server = serverWordsOf(words, wrong);
  const variants = Object.entries(words.variants ?? {}).map(([name, settings]) => ({ name, settings }));
  if (variants.length === 1) wrong(['variants'], tooFew, tooFewHint);
  if (variants.length === 0 && space.knobs.length === 0) wrong(['space'], nothingToTry, nothingToTryHint);
  if (mistakes.length > 0) throw new UserError(mistakes);
  const names = [
    ...space.knobs.map(({ name }) => name),
    ...space.derived.map(({ name }) => name),
    ...Object.keys(space.fixed),
  ];
  const told = words.engine === undefined || words.engine === 'none' ? null : words.engine;
  return {
    name: words.name ?? null,
    problem: {
      space,
      objective,
      slos,
      budgetRuns: words.budget?.runs ?? defaultRuns,
      confirmRuns: words.confirm ?? 2,
      family: words.engine === 'none' ? null : engineFamily(space.knobs, names, told),
      lengths: null,
      kv: words.kv === undefined ? (limits?.kv ?? null) : { ...words.kv, memory: words.kv.at ?? null },
      freeLoad: server.evaluate === null,
      // The goals ask for the edge itself, where throughput is often flat.
      ...(goal !== null && { leastGain: 0.003 }),
      ...largestOf(goal, space),
      seed: words.seed ?? 1,
    },
    server,
    url: words.url ?? null,
    workload: Object.entries(words.workload ?? {}).map(([name, value]) => ({
      name,
      texts: [value].flat().map(String),
      line: yaml.lineOf(['workload', name]),
    })),
    budgetHours: words.budget?.hours ?? null,
    variants,
    repeats: words.repeats ?? defaultRepeats,
  };
}

/** Under a decode limit the goal is the largest batch, where there is one setting for it. */
function largestOf(goal: Goal | null, { knobs }: TuneProblem['space']): { largest?: string } {
  const batches = knobs.filter(({ role }) => role === 'batch');
  return goal?.largestBatch === true && batches.length === 1 ? { largest: batches[0]!.name } : {};
}

/** Collects a mistake at a field of the file. */
export type Wrong = (path: readonly PropertyKey[], message: Phrase, hint: Phrase, code?: string) => void;

const tooFew = { en: 'one variant alone cannot be compared', zh: '只有一个方案，无法比较' };
const tooFewHint = { en: 'Name at least two.', zh: '请至少给出两个方案。' };
const nothingToTry = {
  en: 'there is nothing to try: neither a space nor variants',
  zh: '没有可尝试的内容：既无 space 也无 variants',
};
const nothingToTryHint = {
  en: 'Add for example `space:` with `maxBatchSize: {from: 16, to: 400}`; `dyno tune --init mindie` writes a whole file.',
  zh: '例如添加 `space:` 与 `maxBatchSize: {from: 16, to: 400}`；`dyno tune --init mindie` 可生成完整文件。',
};

interface Issue {
  code?: string;
  path: PropertyKey[];
  message: string;
  keys?: string[];
}

function tellIssue(issue: Issue, wrong: Wrong): void {
  const hint = { en: 'docs/guide/tune.md lists every field.', zh: '所有字段见 docs/guide/tune.md。' };
  if (issue.code === 'unrecognized_keys') {
    for (const key of issue.keys ?? [])
      wrong(
        [...issue.path, key],
        { en: 'is not a field of a tune file', zh: '不是 tune 文件的字段' },
        hint,
        'unknown-setting',
      );
    return;
  }
  wrong(issue.path, { en: issue.message, zh: issue.message }, hint);
}

function readSpace(words: TuneFile, wrong: Wrong): TuneProblem['space'] {
  const knobs: Knob[] = [];
  const derived: Derived[] = [];
  const fixed: Record<string, SettingValue> = {};
  for (const [name, spec] of Object.entries(words.space ?? {})) {
    const path = ['space', name];
    if (Array.isArray(spec)) knobs.push(choiceKnob(name, spec, null, null));
    else if (typeof spec === 'object' && 'oneOf' in spec)
      knobs.push(choiceKnob(name, spec.oneOf, spec.start ?? null, spec.role ?? null));
    else if (typeof spec === 'object') knobs.push(...rangeKnob(name, spec, 'server', path, wrong));
    else if (typeof spec === 'string' && namesIn(spec, words).length > 0) {
      const expression = expressionAt(spec, path, wrong);
      if (expression !== null) derived.push({ name, where: 'server', expression, whole: true });
    } else fixed[name] = spec;
  }
  readLoad(words, knobs, derived, wrong);
  const requires = (words.require ?? [])
    .map((text, i) => expressionAt(text, ['require', i], wrong))
    .filter((one) => one !== null);
  const known = new Set([...knobs.map(({ name }) => name), ...derived.map(({ name }) => name), ...Object.keys(fixed)]);
  for (const { name, expression } of derived) checkNames(expression, known, ['space', name], wrong);
  requires.forEach((expression, i) => checkNames(expression, known, ['require', i], wrong));
  return { knobs, derived: inOrder(derived), fixed, requires };
}

/** A text is a formula when it names another setting; otherwise it is a word for the server. */
function namesIn(text: string, words: TuneFile): string[] {
  const own = new Set(Object.keys(words.space ?? {}).flatMap((name) => [name, name.replaceAll('-', '_')]));
  try {
    return parseExpression(text).names.filter((name) => own.has(name));
  } catch {
    return [];
  }
}

function readLoad({ load, engine, url, evaluate }: TuneFile, knobs: Knob[], derived: Derived[], wrong: Wrong): void {
  const batches = [...knobs, ...derived].map(({ name }) => name).filter((name) => roleOf(name) === 'batch');
  if (load === undefined && url !== undefined && evaluate === undefined && batches.length === 1) {
    // As many as the batch holds are in flight, and one less for MindIE, as its guide has it: what is above the batch only waits.
    const expression = parseExpression(engine === 'mindie' ? `${batches[0]!} - 1` : batches[0]!);
    derived.push({ name: loadNames.concurrency, where: 'load', expression, whole: true });
  }
  for (const [key, name] of [
    ['concurrency', loadNames.concurrency],
    ['rate', loadNames.rate],
  ] as const) {
    const spec = load?.[key];
    if (spec === undefined) continue;
    const path = ['load', key];
    if (typeof spec === 'object') knobs.push(...rangeKnob(name, spec, 'load', path, wrong));
    else {
      const expression = expressionAt(String(spec), path, wrong);
      if (expression !== null) derived.push({ name, where: 'load', expression, whole: key === 'concurrency' });
    }
  }
}

function expressionAt(text: string, path: readonly PropertyKey[], wrong: Wrong): Expression | null {
  try {
    return parseExpression(text);
  } catch (error) {
    if (!(error instanceof BadExpression)) throw error;
    wrong(
      path,
      { en: `cannot be read: ${error.message}`, zh: `无法理解：${error.message}` },
      { en: 'Write for example maxBatchSize/2, min(a, b), a <= b.', zh: '例如 maxBatchSize/2、min(a, b)、a <= b。' },
      'bad-expression',
    );
    return null;
  }
}

function checkNames(
  expression: Expression,
  known: ReadonlySet<string>,
  path: readonly PropertyKey[],
  wrong: Wrong,
): void {
  for (const name of expression.names) {
    if (known.has(name) || known.has(name.replaceAll('_', '-'))) continue;
    wrong(
      path,
      { en: `names "${name}", which is not a setting of the space`, zh: `引用了 space 中没有的设置 "${name}"` },
      { en: `Settings are: ${[...known].join(', ')}.`, zh: `可用的设置：${[...known].join('、')}。` },
      'unknown-setting',
    );
  }
}

/** Formulas after the ones they rest on; a circle stays as it is and never gives a number. */
function inOrder(derived: readonly Derived[]): Derived[] {
  const ordered: Derived[] = [];
  const left = [...derived];
  while (left.length > 0) {
    const index = left.findIndex(({ expression }) => !left.some((other) => expression.names.includes(other.name)));
    ordered.push(...left.splice(Math.max(0, index), 1));
  }
  return ordered;
}

function choiceKnob(
  name: string,
  values: readonly SettingValue[],
  start: SettingValue | null,
  role: Knob['role'],
): Knob {
  const numbers = values.filter((value) => typeof value === 'number');
  const ordered = values.length > 1 && numbers.length === values.length;
  const sorted = ordered ? numbers.toSorted((a, b) => a - b) : [...new Set(values)];
  return {
    name,
    values: sorted,
    ordered,
    role: role ?? (ordered ? roleOf(name) : null),
    where: 'server',
    start,
    raise: null,
  };
}

function rangeKnob(
  name: string,
  spec: RangeWords,
  where: Knob['where'],
  path: readonly PropertyKey[],
  wrong: Wrong,
): Knob[] {
  const { from, to } = spec;
  if (from > to) {
    wrong(
      path,
      { en: `from ${from} is above to ${to}`, zh: `from ${from} 大于 to ${to}` },
      { en: 'Turn them round.', zh: '请交换两者。' },
    );
    return [];
  }
  const whole = Number.isInteger(from) && Number.isInteger(to);
  const step = Math.max(spec.step ?? (whole ? 1 : (to - from) / 200), (to - from) / mostValues, 1e-9);
  const kept = spec.step === undefined && whole ? Math.ceil(step) : step;
  const count = to === from ? 1 : Math.floor((to - from) / kept + 1e-9) + 1;
  const values = Array.from({ length: count }, (_, i) => Number((from + i * kept).toPrecision(12)));
  return [
    {
      name,
      values,
      ordered: true,
      role: spec.role ?? roleOf(name),
      where,
      start: spec.start ?? null,
      raise: spec.raise === undefined ? null : { backSteps: Math.round(spec.raise.back / kept) },
    },
  ];
}

function readObjective(words: TuneFile, wrong: Wrong): Objective {
  const spec = words.objective ?? 'outputTokensPerSec';
  const word = typeof spec === 'string' ? spec : 'most' in spec ? spec.most : spec.least;
  const [metric = '', statistic] = word.split('.');
  const isTime = (timeMetrics as readonly string[]).includes(metric);
  const isRun = (runMetrics as readonly string[]).includes(word) || word === 'costPerMillionTokens';
  const known = isTime ? (statistics as readonly string[]).includes(statistic ?? '') : isRun;
  if (!known) {
    wrong(
      ['objective'],
      { en: `"${word.slice(0, 60)}" is not an objective`, zh: `"${word.slice(0, 60)}" 不是可用的目标` },
      {
        en: `Use ${runMetrics.join(', ')}, costPerMillionTokens, or a time such as ttft.mean.`,
        zh: `可用 ${runMetrics.join('、')}、costPerMillionTokens，或 ttft.mean 等时间指标。`,
      },
      'bad-objective',
    );
  }
  if (word === 'costPerMillionTokens' && words.pricePerHour === undefined) {
    wrong(
      ['objective'],
      { en: 'a cost needs pricePerHour', zh: '成本目标需要 pricePerHour' },
      { en: 'Add pricePerHour: 12.', zh: '请添加 pricePerHour: 12。' },
    );
  }
  const small = isTime || word === 'failed' || word === 'costPerMillionTokens';
  const direction = typeof spec === 'string' ? (small ? 'least' : 'most') : 'most' in spec ? 'most' : 'least';
  return { word, direction, pricePerHour: words.pricePerHour ?? null };
}
