import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openSweep, readSummary, scanExchanges } from '../../results/store/index.ts';
import type { ScannedRow, StoredRun } from '../../results/store/index.ts';
import type { LiveEvents, LiveRow } from '../api/live-events.ts';
import { outcomeNames, problemNames } from '../api/request-columns.ts';
import type { Entry } from './renderings.ts';
import { isUnderWay, readLive } from './live-file.ts';
import { samplesIn } from './live-samples.ts';
import type { Call } from './route.ts';
import { refused } from './route.ts';

/** A place in the records of a run or sweep: which point, and how far its two files have been told. */
interface Place {
  point: number;
  exchangesByte: number;
  telemetryByte: number;
}

/** Files are looked at this often: a reader costs the load generator nothing but the disk's cache. */
const everyMs = 500;
const mostRowsPerEvent = 2000;
const mostReaders = 24;
let readers = 0;

/**
 * A run's records as events. The id of an event is a place in the files, and the stream is a function of that place:
 * nothing is queued for anybody, so a reader that is slow, gone or new costs nothing and loses nothing.
 */
export function liveStream(call: Call, entry: Entry): Response {
  if (readers >= mostReaders)
    throw refused(
      429,
      'too-many-readers',
      'too many live views',
      '实时页面过多',
      'Close some tabs.',
      '请关闭部分标签页。',
    );
  const place = placeOf(call.context.req.header('last-event-id') ?? call.query('from') ?? '');
  const gone = new AbortController();
  const events = eventsFrom(call.hall.store, entry, place, gone.signal);
  const encoder = new TextEncoder();
  readers += 1;
  const over = (): void => {
    if (gone.signal.aborted) return;
    gone.abort();
    readers -= 1;
  };
  call.context.req.raw.signal.addEventListener('abort', over);
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const next = await events.next();
          if (next.done !== true) return controller.enqueue(encoder.encode(next.value));
        } catch (error) {
          if (!gone.signal.aborted) controller.error(error);
        }
        over();
        if (!gone.signal.aborted || controller.desiredSize !== null) controller.close();
      },
      cancel: over,
    },
    { highWaterMark: 1 },
  );
  return new Response(body, {
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
  });
}

async function* eventsFrom(store: string, entry: Entry, from: Place, gone: AbortSignal): AsyncGenerator<string> {
  const place = { ...from };
  yield 'retry: 1000\n\n';
  let told = -1;
  for (;;) {
    if (gone.aborted) return;
    const runs = await runsOf(store, entry);
    const run = runs.all[place.point];
    if (run !== undefined) {
      if (told !== place.point) yield event('point', pointOf(run, place.point), place);
      told = place.point;
      const news = await newsOf(run, entry.dir, place);
      for (const one of news.events) yield one;
      // Only once a run has its summary is it sure that nothing more is written.
      if (news.over && place.point + 1 < runs.all.length) {
        Object.assign(place, { point: place.point + 1, exchangesByte: 0, telemetryByte: 0 });
        continue;
      }
      if (news.over && runs.ended) return yield event('end', { finished: runs.finished }, place);
      if (news.more) continue;
    } else if (runs.ended) return yield event('end', { finished: runs.finished }, place);
    yield ': here\n\n';
    await pause(everyMs, null, { signal: gone }).catch(() => null);
  }
}

async function newsOf(
  run: StoredRun,
  outer: string,
  place: Place,
): Promise<{ events: string[]; over: boolean; more: boolean }> {
  const summary = await readSummary(run).catch(() => null);
  // Asked before the records are read: what is written after that is read in the next round.
  const underWay = await isUnderWay(run.dir);
  const state = await readLive(run.dir, outer);
  const { rows, nextByte, atEnd } = await scanExchanges(run, place.exchangesByte);
  const told = await newSamples(run, place.telemetryByte);
  const events: string[] = [];
  const measured = rows.filter((row) => !row.warmup);
  for (let i = 0; i < measured.length; i += mostRowsPerEvent) {
    const part = measured.slice(i, i + mostRowsPerEvent);
    const last = part.at(-1)!;
    const at = i + mostRowsPerEvent >= measured.length ? nextByte : last.atByte + last.bytes + 1;
    place.exchangesByte = at;
    events.push(event('rows', { run: run.id, rows: part.map(liveRow) }, place));
  }
  place.exchangesByte = nextByte;
  place.telemetryByte = told.nextByte;
  if (told.samples.length > 0) events.push(event('samples', { run: run.id, samples: told.samples }, place));
  if (state !== null) events.push(event('state', { run: run.id, state }, place));
  return { events, over: atEnd && (summary !== null || !underWay), more: !atEnd };
}

const mostTelemetryBytes = 1024 * 1024;

async function newSamples(
  run: StoredRun,
  fromByte: number,
): Promise<{ samples: ReturnType<typeof samplesIn>; nextByte: number }> {
  try {
    const handle = await open(join(run.dir, 'telemetry.ndjson'), 'r');
    try {
      const buffer = Buffer.allocUnsafe(mostTelemetryBytes);
      const { bytesRead } = await handle.read(buffer, 0, mostTelemetryBytes, fromByte);
      const whole = buffer.subarray(0, bytesRead).lastIndexOf(0x0a) + 1;
      return { samples: samplesIn(buffer.toString('utf8', 0, whole)), nextByte: fromByte + whole };
    } finally {
      await handle.close();
    }
  } catch {
    return { samples: [], nextByte: fromByte };
  }
}

async function runsOf(store: string, entry: Entry): Promise<{ all: StoredRun[]; ended: boolean; finished: boolean }> {
  if (entry.kind === 'run') {
    const finished = (await readSummary(entry).catch(() => null)) !== null;
    return { all: [entry], ended: finished || !(await isUnderWay(entry.dir)), finished };
  }
  const underWay = await isUnderWay(entry.dir);
  const { record, runs } = await openSweep(store, entry.dir);
  return { all: runs, ended: record.finished || !underWay, finished: record.finished };
}

function pointOf(run: StoredRun, number: number): LiveEvents['point'] {
  const { plan, startedAt } = run.record;
  const { concurrency, ratePerSec } = plan.load;
  return {
    run: run.id,
    number,
    planned: plan.requests,
    durationMs: plan.durationMs,
    concurrency,
    ratePerSec,
    startedAt,
  };
}

function liveRow(row: ScannedRow): LiveRow {
  const known = (value: number): number | null => (Number.isNaN(value) ? null : value);
  return [
    row.seq,
    row.dueMs,
    known(row.sentMs),
    known(row.firstOutputMs),
    row.endMs,
    known(row.outputTokens),
    outcomeNames.indexOf(row.outcome),
    (problemNames as string[]).indexOf(row.problem ?? ''),
  ];
}

function event<Name extends keyof LiveEvents>(name: Name, data: LiveEvents[Name], place: Place): string {
  const id = `${place.point}.${place.exchangesByte}.${place.telemetryByte}`;
  return `event: ${name}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** The place that an event id names; the beginning where it names none. */
function placeOf(id: string): Place {
  const parts = /^(\d{1,6})\.(\d{1,15})\.(\d{1,15})$/.exec(id);
  const [point, exchangesByte, telemetryByte] = (parts?.slice(1) ?? [0, 0, 0]).map(Number);
  return { point: point!, exchangesByte: exchangesByte!, telemetryByte: telemetryByte! };
}
