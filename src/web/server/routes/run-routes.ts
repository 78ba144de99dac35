import { figuresOf, historyOf, storedSource, summaryOfRun, sweepOf } from '../../../lab/index.ts';
import { trendOf } from '../../../results/measure/index.ts';
import { exchangeAt, openSweep, readAnswers, scanExchanges, tagRun } from '../../../results/store/index.ts';
import type { ScannedRow, StoredRun } from '../../../results/store/index.ts';
import { columnNames, outcomeNames, packBlock, problemNames } from '../../api/request-columns.ts';
import type { ColumnBlock } from '../../api/request-columns.ts';
import { entryShape, listShape } from '../../api/shapes.ts';
import type { EntryPage } from '../../api/shapes.ts';
import { z } from '../../api/shape.ts';
import { rowOf } from '../list-row.ts';
import { forms } from '../renderings.ts';
import { entryOf, refused, runOf } from '../route.ts';
import type { Call, Route } from '../route.ts';

const pointId = 'RUN, SWEEP or SWEEP/RUN, percent-encoded';

/** The list, one entry, its figures, its requests, its tags. */
export const runRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/runs',
    about: 'Everything in the store, newest first.',
    answer: listShape,
    handle: async ({ hall }) => ({ store: hall.store, rows: await hall.catalogue.rows() }),
  },
  {
    method: 'get',
    path: '/trend',
    about: 'One metric over the runs of a label or tag, oldest first, with the places where it surely changed.',
    query: { metric: 'as in --slo: ttft.p99', label: 'left out = any', tag: 'left out = any' },
    answer: z.object({ curves: z.array(z.record(z.string(), z.unknown())) }),
    handle: async (call) => {
      const metric = call.query('metric') ?? '';
      const [label, tag] = [call.query('label'), call.query('tag')];
      if (!/^[A-Za-z]{1,30}(\.[a-z0-9]{1,6})?$/.test(metric))
        throw refused(400, 'bad-metric', 'no such metric', '没有这个指标', 'Write ttft.p99.', '例如 ttft.p99。');
      const history = await historyOf(call.hall.store, {
        ...(label !== null && { label }),
        ...(tag !== null && { tag }),
      });
      return { curves: trendOf(history, metric) };
    },
  },
  {
    method: 'get',
    path: '/runs/:id',
    about: `One run or sweep with its summaries and plan. The id is ${pointId}.`,
    answer: entryShape,
    handle: entryPage,
  },
  {
    method: 'get',
    path: '/runs/:id/figures',
    about: 'Its charts as plain data, in both languages, as the report room draws them.',
    answer: z.array(z.record(z.string(), z.unknown())),
    handle: async (call) => figuresOf([await storedSource(call.hall.store, await entryOf(call))]),
  },
  {
    method: 'get',
    path: '/runs/:id/columns',
    about: `Every measured request of one run as blocks of float64 columns (${columnNames.join(', ')}), streamed.`,
    answer: 'application/octet-stream',
    handle: async (call) => new Response(columnsOf(await runOf(call)), { headers: { 'content-type': bytes } }),
  },
  {
    method: 'get',
    path: '/runs/:id/requests/:seq',
    about: 'One request in full: every stamp, and its answer where it was kept.',
    query: { at: 'the byte that its row in columns names' },
    answer: z.object({
      exchange: z.record(z.string(), z.unknown()),
      answer: z.record(z.string(), z.unknown()).nullable(),
    }),
    handle: oneRequest,
  },
  {
    method: 'post',
    path: '/runs/:id/tags',
    about: 'Puts tags on and takes tags off; gives the tags it has then.',
    body: z.object({ add: z.array(z.string().max(64)).max(20), remove: z.array(z.string().max(64)).max(20) }),
    answer: z.object({ tags: z.array(z.string()) }),
    handle: async (call) => {
      const entry = await entryOf(call);
      return { tags: await tagRun(call.hall.store, entry.dir, call.body as { add: string[]; remove: string[] }) };
    },
  },
];

const bytes = 'application/octet-stream';

async function entryPage(call: Call): Promise<EntryPage> {
  const entry = await entryOf(call);
  const { store, catalogue } = call.hall;
  const row = (await catalogue.row(call.param('id'))) ?? { ...(await rowOf(store, entry)), live: false };
  const what = entry.kind === 'run' ? await summaryOfRun(entry) : await sweepOf(store, entry);
  const runs = entry.kind === 'run' ? [] : (await openSweep(store, entry.dir)).runs.map(({ id }) => id);
  // Kept once in `what`, so that a large import does not travel twice.
  const { summaries: _, ...record } = entry.record as typeof entry.record & { summaries?: unknown };
  return { row, what, record, runs, command: entry.record.command, forms: [...forms.one] };
}

function columnsOf(run: StoredRun): ReadableStream<Uint8Array> {
  let at = 0;
  let over = false;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      while (!over) {
        const { rows, nextByte, atEnd } = await scanExchanges(run, at);
        at = nextByte;
        over = atEnd;
        const measured = rows.filter((row) => !row.warmup);
        if (measured.length === 0) continue;
        controller.enqueue(packBlock(blockOf(measured)));
        return;
      }
      controller.close();
    },
  });
}

function blockOf(rows: readonly ScannedRow[]): ColumnBlock {
  const column = (of: (row: ScannedRow) => number): Float64Array => Float64Array.from(rows, of);
  return {
    seq: column((row) => row.seq),
    dueMs: column((row) => row.dueMs),
    sentMs: column((row) => row.sentMs),
    firstOutputMs: column((row) => row.firstOutputMs),
    endMs: column((row) => row.endMs),
    inputTokens: column((row) => row.inputTokens),
    outputTokens: column((row) => row.outputTokens),
    outcome: column((row) => outcomeNames.indexOf(row.outcome)),
    problem: column((row) => (problemNames as string[]).indexOf(row.problem ?? '')),
    atByte: column((row) => row.atByte),
  };
}

async function oneRequest(call: Call): Promise<unknown> {
  const run = await runOf(call);
  const [seq, at] = [Number(call.param('seq')), Number(call.query('at') ?? 'x')];
  const isPlace = Number.isSafeInteger(seq) && Number.isSafeInteger(at) && at >= 0;
  const row = isPlace ? (await scanExchanges(run, at)).rows[0] : undefined;
  const exchange = row?.seq === seq && row.atByte === at ? await exchangeAt(run, row) : null;
  if (exchange === null)
    throw refused(
      404,
      'no-such-request',
      'no such request',
      '没有这个请求',
      'Load the table again.',
      '请重新加载表格。',
    );
  return { exchange, answer: await answerOf(run, seq) };
}

/** Long runs keep long answers: only so many lines are looked through. */
const mostAnswers = 20_000;

async function answerOf(run: StoredRun, seq: number): Promise<unknown> {
  if (!run.record.plan.keepText) return null;
  let looked = 0;
  for await (const answer of readAnswers(run)) {
    if (answer.seq === seq)
      return { text: answer.text.slice(0, 100_000), reasoning: answer.reasoning.slice(0, 100_000) };
    if (++looked >= mostAnswers) return null;
  }
  return null;
}
