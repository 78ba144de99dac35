import { basename } from 'node:path';
import { comparisonFigure } from '../../results/report/index.ts';
import type { Sweep } from '../../core/index.ts';
import { remark } from '../command.ts';
import type { ParsedCommand } from '../command.ts';
import { opener } from './chosen-prompts.ts';
import { evalscopeBlock, evalscopeFigures, readForeign, wholeOf, wholesOf } from '../../tools/index.ts';
import type { EvalscopeFigures, ForeignTable } from '../../tools/index.ts';
import { lengthChoice } from './evalscope-prompts.ts';
import { measureAs, warnIgnored } from './measure-as.ts';
import { writeBeside } from './write-beside.ts';
import { nameFor, pictureOf } from '../../lab/index.ts';
import { renderOptions } from '../render.ts';

/** The options of the `evalscope-perf` wrapper (1.0.0). */
export const evalscopePerfFlags: ForeignTable = {
  tool: 'evalscope-perf',
  positional: ['URL', 'MODEL', 'DATASET_PATH'],
  supported: {
    '--max-prompt-length': 'one',
    '--stop': 'one',
    '--read-timeout': 'one',
    '--parallels': 'one',
    '--n': 'one',
  },
  ignored: { '--install-completion': 'nothing', '--show-completion': 'nothing' },
};

/** Runs `evalscope-perf URL MODEL DATASET …`: one block and one text file per level, then performance_metrics.png. */
export async function evalscopePerf(argv: readonly string[], given: ParsedCommand): Promise<number> {
  const typed = readForeign(evalscopePerfFlags, argv);
  warnIgnored(given, typed);
  const [url, model, file] = typed.args as [string, string, string];
  const parallels = wholesOf(typed, '--parallels', 1) ?? [1];
  const requests = wholeOf(typed, '--n', 1) ?? 1;
  const name = basename(file).split('.')[0]!;
  const { code, sweep } = await measureAs(given, {
    settings: {
      url,
      model,
      dataset: `openqa:${file}`,
      requests,
      noStream: true,
      stop: [typed.last('--stop') ?? '<|im_end|>'],
      readTimeout: (wholeOf(typed, '--read-timeout', 1) ?? 30) * 1000,
    },
    open: opener(lengthChoice({ most: requests, min: 0, max: wholeOf(typed, '--max-prompt-length', 1) ?? 256 })),
    points: parallels.map((concurrency) => ({ load: { concurrency, ratePerSec: null } })),
    title: model,
    before: (point) => given.io.out(`Running with parallel=${point.load.concurrency}\n`),
    after: async (measured) => {
      const figures = evalscopeFigures(measured);
      const block = evalscopeBlock(figures);
      given.io.out(`${block}\n${metricsLine(figures)}\n`);
      await writeBeside('.', `${model}_${name}_p${figures.concurrency}.txt`, block);
    },
  });
  await drawPicture(given, sweep, model);
  return code;
}

/** The four figures that the wrapper scrapes, as Python prints them. */
export function metricsLine(figures: EvalscopeFigures): string {
  const float = (value: number): string => {
    const text = String(Number(value.toFixed(3)));
    return text.includes('.') ? text : `${text}.0`;
  };
  const parts = [
    `'Average QPS': ${float(figures.qps)}`,
    `'Average latency': ${float(figures.latencySec)}`,
    `'Throughput': ${float(figures.tokensPerSec)}`,
    `'Failed requests': ${float(figures.failed)}`,
  ];
  return `📌 Metrics: {${parts.join(', ')}}`;
}

/** QPS, latency, throughput and failures against the load, 2×2, in Chinese as the wrapper draws it. */
async function drawPicture(given: ParsedCommand, sweep: Sweep, model: string): Promise<void> {
  const figure = { ...comparisonFigure([sweep]), title: { en: `Model: ${model}`, zh: `模型: ${model}` } };
  const picture = await pictureOf(figure, 1200, 'png', { ...renderOptions(given), lang: 'zh' });
  const name = nameFor('performance_metrics.png', picture);
  await writeBeside('.', name, picture);
  remark(given, 'written', '已写入', `: ${name}`);
}
