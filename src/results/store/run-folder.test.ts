import { appendFile, mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exchange } from '../../../test/fixtures/measure/exchanges.ts';
import { newRun, summaryOf } from '../../../test/fixtures/store/runs.ts';
import { UserError } from '../../core/index.ts';
import type { Exchange } from '../../core/index.ts';
import {
  createRun,
  createSweep,
  deleteRun,
  listRuns,
  openRun,
  openSweep,
  readAnswers,
  readExchanges,
  readSummary,
  readSweep,
  tagRun,
} from './index.ts';

let root: string;
let store: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'dyno-store-'));
  store = join(root, 'runs');
});
afterEach(() => rm(root, { recursive: true }));

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

async function mistakeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (error instanceof UserError) return error.mistakes[0]!.code;
    throw error;
  }
  return 'no mistake';
}

async function finishedRun(label: string, startedAt?: string): Promise<string> {
  const writer = await createRun(store, newRun({ label }, startedAt));
  await writer.append({ exchange: exchange(), answer: null });
  await writer.finish(summaryOf([exchange()], { runId: writer.runId }));
  return writer.runId;
}

describe('a run folder', () => {
  it('has the plan before anything else, then gives back what was appended, times to a microsecond', async () => {
    const writer = await createRun(store, newRun());
    expect(writer.runId).toMatch(/^20261115-042312-[0-9a-f]{4}-night-run-1$/);
    expect(JSON.parse(await readFile(join(writer.dir, 'plan.json'), 'utf8'))).toMatchObject({
      schema: 'llmdyno.run/1',
      runId: writer.runId,
      startedAt: '2026-11-15T04:23:12.000Z',
      monotonicOriginNs: '123456789',
      plan: { seed: 1 },
    });
    const sent = exchange({ seq: 7, sentMs: 1.23456789, endMs: 200.0004 });
    await writer.append({ exchange: sent, answer: { seq: 7, text: 'héllo\n世界', reasoning: '' } });
    await writer.finish(summaryOf([sent], { runId: writer.runId }));
    await writer.release();
    const run = await openRun(store, writer.runId);
    expect(await all(readExchanges(run))).toEqual([{ ...sent, sentMs: 1.235, endMs: 200 }]);
    expect(await all(readAnswers(run))).toEqual([{ seq: 7, text: 'héllo\n世界', reasoning: '' }]);
    expect((await readSummary(run))?.runId).toBe(writer.runId);
    expect((await readdir(writer.dir)).toSorted()).toEqual([
      'answers.ndjson',
      'exchanges.ndjson',
      'plan.json',
      'summary.json',
    ]);
  });

  it('without a summary is an unfinished run that still reads', async () => {
    const writer = await createRun(store, newRun({ keepText: false }));
    await writer.append({ exchange: exchange({ seq: 1 }), answer: null });
    await writer.abort();
    const run = await openRun(store, 'latest');
    expect(await readSummary(run)).toBeNull();
    expect((await all(readExchanges(run))).map(({ seq }) => seq)).toEqual([1]);
    expect(await listRuns(store)).toMatchObject([{ kind: 'run', id: writer.runId, finished: false }]);
  });

  it('drops a torn last line and says so; skips a malformed line and names it', async () => {
    const writer = await createRun(store, newRun());
    for (const seq of [0, 1, 2]) await writer.append({ exchange: exchange({ seq }), answer: null });
    await writer.abort();
    const file = join(writer.dir, 'exchanges.ndjson');
    const lines = (await readFile(file, 'utf8')).split('\n');
    lines[1] = '{"seq": "one"}';
    await writeFile(file, lines.join('\n'));
    await appendFile(file, '{"seq":3,"promptId":');
    const stream = readExchanges(writer);
    expect((await all(stream)).map(({ seq }) => seq)).toEqual([0, 2]);
    expect(stream.report).toMatchObject({ read: 2, torn: true, skipped: 1, bad: [{ line: 2 }] });
  });

  it('takes no harm from keys that aim at a prototype', async () => {
    const writer = await createRun(store, newRun());
    await writer.abort();
    const line = JSON.stringify(exchange()).replace('"labels":{}', '"labels":{"__proto__":"x","constructor":"y"}');
    await writeFile(join(writer.dir, 'exchanges.ndjson'), `${line}\n`);
    const [read] = (await all(readExchanges(writer))) as [Exchange];
    expect(Object.getPrototypeOf(read.labels)).toBe(Object.prototype);
    expect(Object.entries(read.labels)).toEqual([['constructor', 'y']]);
  });
});

describe('a disk that fails', () => {
  it('is told by append or finish, never swallowed', async () => {
    const full = newRun({ keepText: false });
    const writer = await createRun(store, full);
    await writer.append({ exchange: exchange(), answer: null });
    await rm(writer.dir, { recursive: true });
    expect(await mistakeOf(writer.finish(summaryOf([])))).toBe('disk-error');
  });
  it('is told in words where the store cannot be made', async () => {
    await writeFile(join(root, 'file'), '');
    expect(await mistakeOf(createRun(join(root, 'file', 'runs'), newRun()))).toBe('disk-error');
    expect(await mistakeOf(createRun(join(root, 'file'), newRun()))).toBe('disk-error');
    expect(await mistakeOf(createRun('/proc/nowhere', newRun()))).toBe('disk-error');
  });
  it('is no matter where folders above the store are still missing', async () => {
    const deep = join(root, 'a', 'b', 'c');
    const writer = await createRun(deep, newRun());
    await writer.abort();
    expect(await readdir(deep)).toEqual([writer.runId]);
  });
});

describe('a word for a run', () => {
  it('may be the id, its beginning, the label, a path, or latest', async () => {
    const first = await finishedRun('one', '2026-01-02T03:04:05.000Z');
    const second = await finishedRun('two', '2026-02-02T03:04:05.000Z');
    for (const word of [first, first.slice(0, 8), 'one', join(store, first)])
      expect((await openRun(store, word)).record.runId).toBe(first);
    expect((await openRun(store, 'latest')).id).toBe(second);
  });
  it('that means several or none is a mistake with the names', async () => {
    await finishedRun('one', '2026-01-02T03:04:05.000Z');
    await finishedRun('two', '2026-01-02T03:04:06.000Z');
    expect(await mistakeOf(openRun(store, '2026'))).toBe('several-runs');
    for (const word of ['nothing', '', '.', '..', '../../..', '/', '__proto__'])
      expect(await mistakeOf(openRun(store, word))).toBe('no-such-run');
  });
  it('leads to a clear refusal of a version that is not known', async () => {
    const id = await finishedRun('one');
    const file = join(store, id, 'plan.json');
    await writeFile(file, (await readFile(file, 'utf8')).replace('llmdyno.run/1', 'llmdyno.run/9'));
    expect(await mistakeOf(openRun(store, id))).toBe('unknown-version');
    expect(await listRuns(store)).toMatchObject([{ kind: 'broken', id }]);
  });
});

describe('the list', () => {
  it('is sorted, filtered, and tells damaged folders', async () => {
    const late = await finishedRun('late', '2026-03-01T00:00:00.000Z');
    const early = await finishedRun('early', '2026-01-01T00:00:00.000Z');
    await mkdir(join(store, '20260201-broken'));
    await writeFile(join(store, '20260201-broken', 'plan.json'), '{');
    await mkdir(join(store, 'holiday-photos'));
    await tagRun(store, late, { add: ['keep', '\u001b[31mred'] });
    expect((await listRuns(store)).map(({ kind, id }) => [kind, id])).toEqual([
      ['run', early],
      ['broken', '20260201-broken'],
      ['run', late],
    ]);
    expect(await listRuns(store, { tag: 'keep' })).toMatchObject([{ id: late, tags: ['[31mred', 'keep'] }]);
    expect(await tagRun(store, late, { remove: ['keep'] })).toEqual(['[31mred']);
    expect(await listRuns(store, { label: 'EARL' })).toMatchObject([{ id: early }]);
    expect(await listRuns(join(root, 'nowhere'))).toEqual([]);
  });
});

describe('deleting', () => {
  it('removes a run, also a damaged one by its exact id', async () => {
    const id = await finishedRun('one');
    await mkdir(join(store, 'damaged'));
    await writeFile(join(store, 'damaged', 'plan.json'), '{');
    expect(await deleteRun(store, 'one')).toBe(id);
    expect(await deleteRun(store, 'damaged')).toBe('damaged');
    expect(await readdir(store)).toEqual([]);
  });
  it('lists, tags and deletes searches too; one that has not ended stays, for it holds the originals', async () => {
    const tune = { schema: 'llmdyno.tune/1', name: 'night', startedAt: '2026-11-15T00:00:00.000Z', trials: [1, 2] };
    const write = async (id: string, running: boolean): Promise<void> => {
      await mkdir(join(store, id), { recursive: true });
      await writeFile(join(store, id, 'tune.json'), JSON.stringify({ ...tune, running }));
    };
    await write('20261115-000000-aaaa-tune', true);
    const runId = await finishedRun('night');
    const ids = (await listRuns(store)).map(({ kind, id }) => [kind, id]);
    expect(ids).toHaveLength(2);
    expect(ids).toContainEqual(['tune', '20261115-000000-aaaa-tune']);
    expect(await tagRun(store, '20261115-000000-aaaa-tune', { add: ['keep'] })).toEqual(['keep']);
    expect(await listRuns(store, { tag: 'keep' })).toMatchObject([{ kind: 'tune', finished: false, label: 'night' }]);
    expect(await mistakeOf(deleteRun(store, 'night'))).toBe('several-runs');
    expect(await mistakeOf(deleteRun(store, '20261115-000000-aaaa-tune'))).toBe('delete-refused');
    await write('20261115-000000-aaaa-tune', false);
    expect(await deleteRun(store, '20261115-000000-aaaa')).toBe('20261115-000000-aaaa-tune');
    expect(await readdir(store)).toEqual([runId]);
  });
  it('refuses everything that is not a run folder directly in the store', async () => {
    const outside = join(root, 'outside');
    await mkdir(outside);
    await writeFile(join(outside, 'plan.json'), '{}');
    await finishedRun('one');
    await symlink(outside, join(store, 'link'));
    await mkdir(join(store, 'photos'));
    for (const word of ['link', 'photos', '..', '../../outside', outside, '.', ''])
      expect(['delete-refused', 'no-such-run', 'broken-run']).toContain(await mistakeOf(deleteRun(store, word)));
    expect(await readdir(outside)).toEqual(['plan.json']);
    expect((await readdir(store)).length).toBe(3);
  });
});

describe('a sweep', () => {
  it('holds its runs inside its folder, in order, and reads as summaries', async () => {
    const sweep = await createSweep(store, {
      title: 'Two cards',
      variable: 'concurrency',
      startedAt: '2026-11-15T04:23:12.000Z',
      llmdyno: '0.1.0',
      command: null,
    });
    const ids: string[] = [];
    for (const label of ['a', 'b']) {
      const { sweepId: _, ...run } = newRun({ label });
      const writer = await sweep.createRun(run);
      ids.push(writer.runId);
      if (label === 'a') await writer.finish(summaryOf([exchange()], { runId: writer.runId }));
      else await writer.abort();
    }
    expect((await openSweep(store, 'Two cards')).record.finished).toBe(false);
    await sweep.finish([]);
    const opened = await openSweep(store, sweep.sweepId);
    expect(opened.record).toMatchObject({ points: ids, finished: true, variable: 'concurrency' });
    expect(opened.runs.map((run) => run.record.sweepId)).toEqual([sweep.sweepId, sweep.sweepId]);
    expect((await readSweep(opened)).points.map(({ runId }) => runId)).toEqual([ids[0]]);
    expect((await openRun(store, `${sweep.sweepId}/${ids[1]}`)).id).toBe(ids[1]);
    expect(await mistakeOf(openRun(store, sweep.sweepId))).toBe('not-a-run');
    expect((await listRuns(store)).length).toBe(1);
    expect((await listRuns(store, { inside: true })).map(({ id }) => id).toSorted()).toEqual(
      [sweep.sweepId, ...ids].toSorted(),
    );
  });
  it('does not follow a point that leads out of its folder', async () => {
    const sweep = await createSweep(store, {
      title: null,
      variable: 'rate',
      startedAt: '2026-11-15T04:23:12.000Z',
      llmdyno: '0.1.0',
      command: null,
    });
    const file = join(sweep.dir, 'sweep.json');
    const id = await finishedRun('one');
    await writeFile(file, JSON.stringify({ ...sweep.record, points: [`../../${id}`] }));
    expect(await openSweep(store, sweep.sweepId)).toMatchObject({ runs: [], missing: [`../../${id}`] });
  });
});
