import { exitCodes, userError } from '../../core/index.ts';
import { parseLimit } from '../../results/audit/index.ts';
import { parseGate, parseSlo, promisesKept } from '../../results/measure/index.ts';
import type { Comparison } from '../../results/measure/index.ts';
import { comparisonIn, comparisonScreen, pointName } from '../../results/report/index.ts';
import { argument, example, makeCommand } from '../command.ts';
import type { ParsedCommand } from '../command.ts';
import { chartFlag, placeFor, refuseChart, renderOptions } from '../render.ts';
import { allFlag, sourcePlace, reportOptions } from '../show.ts';
import {
  anyText,
  comparisonOf,
  fileForms,
  flag,
  machinesOf,
  many,
  one,
  renderForm,
  reporters,
  sidesOf,
  sourcesOf,
  textFor,
  writeWhole,
} from '../../lab/index.ts';
import type { Rendered, ReportSource } from '../../lab/index.ts';

const forms = ['text', 'markdown', 'csv', 'json', 'junit', 'html', 'svg', 'png', 'xlsx'] as const;

export const command = makeCommand({
  about: {
    en: 'Results side by side with differences, intervals and significance; the first is the baseline. --fail-if makes it a CI gate.',
    zh: '并排比较结果，给出差异、置信区间与显著性；第一个为基线。--fail-if 可用作 CI 门禁。',
  },
  arguments: [
    argument(
      '<run...>',
      'two or more runs, sweeps, points (SWEEP/POINT, SWEEP[variant=A]), or files that dyno import reads; one sweep of variants',
      '两个或更多运行、扫描、点（SWEEP/POINT、SWEEP[variant=A]）或 dyno import 支持的文件；或一个含多个变体的扫描',
    ),
  ],
  flags: {
    baseline: one('baseline RUN', anyText, 'compare with this one instead of the first', '以此为基线（默认第一个）'),
    failIf: many(
      'fail-if CONDITION',
      parseGate,
      "exit 4 when it surely holds, 5 when that is not sure: 'outputTokensPerSec<-5%' is a change against the baseline, 'ttft.p99>2s' a limit",
      "确定满足条件时以 4 退出，无法确定时以 5 退出：'outputTokensPerSec<-5%' 为相对基线的变化，'ttft.p99>2s' 为上限",
    ),
    slo: many(
      'slo RULE',
      textFor(parseSlo),
      "promise of the others beside the baseline, told kept or broken (exit 4), such as 'ttft.p99<2s'",
      "对基线以外各结果的承诺，逐条给出达标/未达标（未达标以 4 退出），例如 'ttft.p99<2s'",
    ),
    limit: many(
      'limit NAME=SHARE',
      textFor(parseLimit),
      'another number for what can be compared, as cache-apart=30% (docs/reference/findings.md lists them)',
      '修改可比性判定所用的数值，如 cache-apart=30%（见 docs/reference/findings.md）',
    ),
    all: allFlag,
    as: one('as FORM', anyText, `${forms.join(', ')} (default: text)`, `${forms.join('、')}（默认：text）`),
    chart: chartFlag,
    out: one(
      'out FILE',
      anyText,
      'where to write (default: text on stdout, files here as comparison.FORM)',
      '输出文件（默认：文本打印到 stdout，文件为当前目录的 comparison.格式）',
    ),
    lenient: flag(
      'lenient',
      'exit 0 even where a condition or promise is broken, or the runs are not comparable',
      '即使条件或承诺未满足、或不可比，也以 0 退出',
    ),
  },
  examples: [
    example('dyno compare before after', 'two runs by their labels', '按标签比较两次运行'),
    example(
      "dyno compare 'numa[variant=none]' 'numa[variant=-N0 -m0]'",
      'two points of one sweep',
      '同一扫描中的两个点',
    ),
    example(
      "dyno compare main candidate --fail-if 'outputTokensPerSec<-5%' --as markdown --out summary.md",
      'a gate for CI, with a summary for the job page',
      'CI 门禁，并写出摘要',
    ),
    example(
      'dyno compare examples/vllm-t4.md examples/xinference-t4.md --as png --lang zh',
      "a picture of two tables from somebody's document",
      '把两张表画成对比图',
    ),
  ],
  async run(given, { failIf = [], limit = [], slo = [], lenient = false, ...asked }) {
    const form = formOf(given.common.json ? 'json' : (asked.as ?? 'text'));
    refuseChart(asked.chart, form);
    const sources = await chosen(given, asked.baseline);
    const comparison = withPromises(await comparisonOf(sources, failIf, limit), sources, slo);
    await tell(given, { sources, comparison, chart: asked.chart }, form, asked.out);
    return exitFor(comparison, lenient);
  },
});

type Form = (typeof forms)[number];

function formOf(word: string): Form {
  const form = forms.find((known) => known === word);
  if (form !== undefined) return form;
  const other = word in reporters || word === 'parquet';
  throw userError(
    'unknown-form',
    other ? `a comparison has no form "${word}"` : `there is no form "${word}"`,
    other ? `对比没有 "${word}" 这种格式` : `没有 "${word}" 这种格式`,
    other
      ? `Several results have: ${forms.join(', ')}; one of them alone: dyno report RUN --as ${word}.`
      : `Choose one of: ${forms.join(', ')}.`,
    other
      ? `多个结果可用：${forms.join('、')}；单个结果：dyno report RUN --as ${word}。`
      : `可选：${forms.join('、')}。`,
    '--as',
  );
}

/** What was named, the baseline first. */
async function chosen(given: ParsedCommand, baseline: string | undefined): Promise<readonly ReportSource[]> {
  const others = await sourcesOf(given.args, sourcePlace(given));
  return sidesOf(
    baseline === undefined ? others : withBaseline(await sourcesOf([baseline], sourcePlace(given)), others),
  );
}

function withBaseline(baseline: readonly ReportSource[], others: readonly ReportSource[]): ReportSource[] {
  const ids = new Set(baseline.map(({ sweep }) => sweep.id));
  return [...baseline, ...others.filter(({ sweep }) => !ids.has(sweep.id))];
}

async function tell(
  given: ParsedCommand,
  what: Rendered & { comparison: Comparison },
  as: Form,
  out: string | undefined,
): Promise<void> {
  const { sources, comparison } = what;
  const form = fileForms.find((known) => known === as);
  if (form !== undefined) {
    const file = placeFor(out, null, `comparison.${form}`);
    given.io.out(`${await writeWhole(file, await renderForm(what, form, renderOptions(given)))}\n`);
    return;
  }
  const options = { ...reportOptions(given, out), machineOf: machinesOf(sources) };
  const screen = as === 'text' && out === undefined && !given.flags.has('all');
  const sweeps = sources.map(({ sweep }) => sweep);
  const text = screen ? comparisonScreen(comparison, options) : comparisonIn(as, comparison, sweeps, options);
  if (out === undefined) given.io.out(text);
  else await writeWhole(placeFor(out, null, ''), text);
}

/** What became of the promises, at every point of every side; none where nothing was promised. */
function withPromises(comparison: Comparison, sources: readonly ReportSource[], slo: readonly string[]): Comparison {
  if (slo.length === 0) return comparison;
  const promises = sources.flatMap(({ sweep }) =>
    sweep.points.flatMap((point) => {
      const load = point.load.concurrency ?? point.load.ratePerSec;
      const where = sweep.points.length === 1 ? {} : { place: pointName(sweep, point) };
      return promisesKept(point, slo).map((kept) => ({ run: sweep.id, load, ...where, ...kept }));
    }),
  );
  return { ...comparison, promises };
}

function exitFor({ gates, promises = [], baseline }: Comparison, lenient: boolean): number {
  if (lenient) return exitCodes.ok;
  const others = promises.filter(({ run }) => run !== baseline);
  // A gate on runs that cannot be compared must not look green, and neither must one that is not sure.
  if (gates.some(({ comparable }) => !comparable)) return exitCodes.notValid;
  if (gates.some(({ failed }) => failed) || others.some(({ kept }) => kept === false)) return exitCodes.gateFailed;
  const doubtful = gates.some(({ state }) => state !== 'passed') || others.some(({ kept }) => kept === null);
  return doubtful ? exitCodes.notValid : exitCodes.ok;
}
