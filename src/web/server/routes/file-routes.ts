import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { finished } from 'node:stream/promises';
import type { Lang } from '../../../core/index.ts';
import { audited, comparisonOf, figuresOf, importPaths, keepImports, machinesOf } from '../../../lab/index.ts';
import type { ReportSource } from '../../../lab/index.ts';
import { frontierTables } from '../../../results/report/index.ts';
import { setFacts } from '../../../results/store/index.ts';
import { frontierShape, keptShape, machineShape } from '../../api/shapes.ts';
import type { FrontierPage, KeptFiles } from '../../api/shapes.ts';
import { z } from '../../api/shape.ts';
import { forms, renderingOf, sourcesOf } from '../renderings.ts';
import type { Entry, Rendering } from '../renderings.ts';
import { entryOf, noSuchRun, refused } from '../route.ts';
import type { Call, Route } from '../route.ts';

/** The largest file that may be dropped on the page. */
export const mostUploadBytes = 64 * 1024 * 1024;

const mediaTypes: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  csv: 'text/csv; charset=utf-8',
  json: 'application/json',
  xml: 'application/xml',
  md: 'text/markdown; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
};

/** What goes out as a file and what comes in as one; deleting, and taking that back. */
export const fileRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/runs/:id/report/:form',
    about: 'The result in a form of `dyno report --as`, as a download.',
    query: { lang: 'en or zh' },
    answer: 'application/octet-stream',
    handle: async (call) => {
      const form = formOf(call, forms.one);
      const entry = await entryOf(call);
      return download(await renderingOf(await sourcesOf(call.hall.store, [entry]), form, langOf(call)), entry.id);
    },
  },
  {
    method: 'get',
    path: '/compare',
    about: 'Several results side by side, the first is the baseline: llmdyno.compare/1 and charts.',
    query: { id: 'repeated, one for each result' },
    answer: z.object({
      comparison: z.record(z.string(), z.unknown()),
      figures: z.array(z.record(z.string(), z.unknown())),
      sweeps: z.array(z.record(z.string(), z.unknown())),
      forms: z.array(z.string()),
    }),
    handle: async (call) => {
      const sources = await namedSources(call);
      const [comparison, figures] = [await comparisonOf(sources, []), await figuresOf(sources)];
      return { comparison, figures, sweeps: sources.map(({ sweep }) => sweep), forms: forms.several };
    },
  },
  {
    method: 'get',
    path: '/compare/report/:form',
    about: 'The comparison in a form of `dyno compare --as`, as a download.',
    query: { id: 'repeated, one for each result', lang: 'en or zh' },
    answer: 'application/octet-stream',
    handle: async (call) => {
      const form = formOf(call, forms.several);
      return download(await renderingOf(await namedSources(call), form, langOf(call)), 'comparison');
    },
  },
  {
    method: 'get',
    path: '/frontier',
    about:
      'Throughput for each card, watt and unit of money at fixed speeds per user, and what was said of each machine.',
    query: { id: 'repeated, one for each result' },
    answer: frontierShape,
    handle: async (call): Promise<FrontierPage> => {
      const entries = await entriesOf(call, 1);
      const machines = entries.map(({ id, facts }) => ({
        id,
        cards: facts?.own.cards ?? null,
        price: facts?.own.pricePerHour ?? null,
        power: facts?.own.powerW ?? null,
      }));
      const sources = await sourcesOf(call.hall.store, entries);
      const sweeps = sources.map(({ sweep }) => sweep);
      return { ...frontierTables(sweeps, machinesOf(sources)), machines };
    },
  },
  {
    method: 'post',
    path: '/runs/:id/machine',
    about:
      'Says how many cards a result was measured on, what they cost an hour and how many watts they drew; null = not known.',
    body: machineShape,
    answer: machineShape,
    handle: async (call) => {
      const { cards, price, power } = call.body as z.infer<typeof machineShape>;
      const entry = await entryOf(call);
      await setFacts(entry.dir, null, { cards, pricePerHour: price, powerW: power });
      return { cards, price, power };
    },
  },
  {
    method: 'post',
    path: '/import',
    about: `A document, log or result file of another tool (at most ${mostUploadBytes} bytes) into the store.`,
    query: { name: 'its file name' },
    body: 'bytes',
    answer: keptShape,
    handle: importFile,
  },
  {
    method: 'delete',
    path: '/runs/:id',
    about: 'Puts a run or sweep into the trash, from where it can be taken back for an hour.',
    answer: z.object({ id: z.string() }),
    handle: async (call) => {
      if ((await call.hall.catalogue.folder(call.param('id'))) === null) throw noSuchRun();
      const row = await call.hall.catalogue.row(call.param('id'));
      if (row?.live === true)
        throw refused(409, 'run-is-live', 'it is being measured', '正在运行', 'Stop it first.', '请先停止。');
      await call.hall.trash.put(call.param('id'));
      return { id: call.param('id') };
    },
  },
  {
    method: 'post',
    path: '/trash/:id/restore',
    about: 'Takes a deleted run or sweep back.',
    body: z.object({}),
    answer: z.object({ id: z.string() }),
    handle: async (call) => {
      const back = await call.hall.trash.restore(call.param('id'));
      if (!back)
        throw refused(
          404,
          'not-in-trash',
          'it is not in the trash',
          '回收站中没有',
          'It may be back already.',
          '可能已恢复。',
        );
      return { id: call.param('id') };
    },
  },
];

function langOf(call: Call): Lang {
  return call.query('lang') === 'zh' ? 'zh' : 'en';
}

function formOf(call: Call, known: readonly string[]): string {
  const form = call.param('form');
  if (known.includes(form)) return form;
  const list = known.join(', ');
  throw refused(400, 'unknown-form', 'there is no such form', '没有这种格式', `One of: ${list}.`, `可选：${list}。`);
}

const mostCompared = 20;

async function namedSources(call: Call): Promise<ReportSource[]> {
  return sourcesOf(call.hall.store, await entriesOf(call, 2));
}

async function entriesOf(call: Call, least: number): Promise<Entry[]> {
  const ids = call.context.req.queries('id') ?? [];
  if (ids.length < least || ids.length > mostCompared)
    throw refused(
      400,
      'one-run',
      `this needs ${least} to ${mostCompared} results`,
      `这里需要 ${least} 到 ${mostCompared} 个结果`,
      'Pick them in the list.',
      '请在列表中选择。',
    );
  return Promise.all(ids.map((id) => entryOf(call, id)));
}

function download({ content, ending }: Rendering, name: string): Response {
  const body = typeof content === 'string' ? content : new Uint8Array(content);
  return new Response(body, {
    headers: {
      'content-type': mediaTypes[ending] ?? 'text/plain; charset=utf-8',
      // Never shown in place: an HTML report has a policy of its own.
      'content-disposition': `attachment; filename="${name.replaceAll(/[^\w.-]/g, '_')}.${ending}"`,
    },
  });
}

async function importFile(call: Call): Promise<KeptFiles> {
  const folder = await mkdtemp(join(tmpdir(), 'dyno-import-'));
  try {
    await receive(call, join(folder, fileName(call.query('name') ?? 'file')));
    const { sweeps: found, problems } = await importPaths([folder], 'auto');
    const sweeps = found.map(audited);
    await keepImports(sweeps, call.hall.store, null);
    return {
      sweeps: sweeps.map(({ id, title, points }) => ({ id, title, points: points.length })),
      problems: problems.map(({ file, line, message, zh }) => ({
        file: basename(file),
        line,
        message: { en: message, zh },
      })),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The last part of a name, in plain characters; what a file is called tells formats apart and is shown to the user. */
function fileName(given: string): string {
  const last = given.split(/[/\\]/).at(-1) ?? '';
  const plain = last
    .replaceAll(/[^\p{L}\p{N}._ -]/gu, '_')
    .replace(/^\.+/, '')
    .slice(-100);
  return plain === '' ? 'file' : plain;
}

async function receive(call: Call, file: string): Promise<void> {
  const tooLarge = refused(
    413,
    'file-too-large',
    `files of more than ${mostUploadBytes / 1024 / 1024} MiB are not taken here`,
    `不接收超过 ${mostUploadBytes / 1024 / 1024} MiB 的文件`,
    'Import it on the command line: dyno import FILE.',
    '请在命令行导入：dyno import 文件。',
  );
  if (Number(call.context.req.header('content-length') ?? 0) > mostUploadBytes) throw tooLarge;
  const out = createWriteStream(file, { flags: 'wx' });
  let bytes = 0;
  try {
    for await (const piece of call.context.req.raw.body ?? []) {
      bytes += (piece as Uint8Array).length;
      if (bytes > mostUploadBytes) throw tooLarge;
      if (!out.write(piece)) await once(out, 'drain');
    }
  } finally {
    out.end();
    await finished(out);
  }
}
