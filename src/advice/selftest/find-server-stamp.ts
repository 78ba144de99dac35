import { performance } from 'node:perf_hooks';
import { jsonIn } from '../../core/index.ts';
import type { RunPlan } from '../../core/index.ts';
import { fetchOnce } from '../../client/load/index.ts';
import type { Secrets } from '../../client/load/index.ts';
import { findStamp, protocolFor } from '../../client/protocol/index.ts';
import type { ServerStamp } from '../../client/protocol/index.ts';
import { plainPrompt } from '../../inputs/workload/index.ts';

/** A slow server has said enough by then. */
const mostMs = 5000;
/** Clocks are read one after the other, and a server may cut its time to the millisecond. */
const slackNs = 5_000_000n;

/** Asks a server one short question and finds out how it stamps the events of its answer; null = it does not, undefined = it said too little to tell. */
export async function findServerStamp(
  target: RunPlan['target'],
  secrets: Secrets,
): Promise<ServerStamp | null | undefined> {
  const generation = {
    stream: true,
    maxTokens: 8,
    minTokens: null,
    temperature: null,
    ignoreEos: true,
    stop: [],
    body: {},
  };
  const call = protocolFor(target).encode({ seq: 0, prompt: plainPrompt('selftest', 'Count.'), generation }, target);
  const before = clocks();
  const { body } = await fetchOnce(target, { method: call.method, url: target.url, body: call.body }, secrets, mostMs);
  const after = clocks();
  const span = (clock: ServerStamp['clock']): { fromNs: bigint; toNs: bigint } => ({
    fromNs: before[clock] - slackNs,
    toNs: after[clock] + slackNs,
  });
  return findStamp(eventsIn(body), { monotonic: span('monotonic'), realtime: span('realtime') });
}

function clocks(): Record<ServerStamp['clock'], bigint> {
  const wallUs = Math.round((performance.timeOrigin + performance.now()) * 1000);
  return { monotonic: process.hrtime.bigint(), realtime: BigInt(wallUs) * 1000n };
}

/** The objects of a stream of events; the last one may be cut off. */
function eventsIn(body: string): unknown[] {
  return body.split(/\r\n|\n|\r/).flatMap((line): unknown[] => {
    if (!line.startsWith('data:')) return [];
    const event = jsonIn(line.slice(5));
    return event === undefined ? [] : [event];
  });
}
