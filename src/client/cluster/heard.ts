import { isFailureCode, isMistakes, isObject, jsonIn, printable } from '../../core/index.ts';
import type { ClientHealth } from '../../core/index.ts';
import type { PhaseName } from '../load/index.ts';
import type {
  Batch,
  Claim,
  ClockFacts,
  HeardWork,
  Order,
  ReturnedAsk,
  WorkerFacts,
  WorkerMessage,
} from './cluster-words.ts';
import { isEnded } from './heard-exchange.ts';
import { isNumber, isNumbers, isText, listOf, objectOf, orAbsent, orNull } from './shape.ts';
import type { Check, Shape } from './shape.ts';

/** A run has fewer asks than this. */
const mostAsks = 2 ** 28;
const mostClaimed = 10_000;
const mostInBatch = 10_000;
const mostLabels = 50;
const phases = new Set<unknown>(['warmup', 'measure']);
const isPhase: Check = (phase) => phases.has(phase);
const isName: Check = (name) => isText(name) && name.length <= 200;
const isCount: Check = (count) => Number.isInteger(count) && (count as number) >= 0 && (count as number) < mostAsks;
const isDelay: Check = (ms) => isNumber(ms) && ms >= 0;
const maybe = orNull(isNumber);
const perhaps = orAbsent(maybe);
const isAsks = listOf(objectOf<ReturnedAsk>({ seq: isCount, dueMs: maybe }), mostAsks);

const isHealth = objectOf<ClientHealth>({
  loopDelayP50Ms: maybe,
  loopDelayP90Ms: perhaps,
  loopDelayP99Ms: maybe,
  loopDelayMaxMs: maybe,
  cpuRatio: maybe,
  threads: isNumber,
  connectionsOpened: maybe,
  connectionsReused: maybe,
  rssMaxBytes: maybe,
  cpuPerThread: orAbsent(isNumbers),
  cpuWaitRatio: orAbsent(isNumber),
  stolenRatio: orAbsent(isNumber),
  pollRatio: orAbsent(isNumber),
  napRatio: orAbsent(isNumber),
  gc: orAbsent(objectOf<NonNullable<ClientHealth['gc']>>({ pauses: isNumber, totalMs: isNumber, maxMs: isNumber })),
  connecting: orAbsent(
    objectOf<NonNullable<ClientHealth['connecting']>>({
      count: isNumber,
      meanMs: isNumber,
      maxMs: isNumber,
      tlsMeanMs: maybe,
      tlsMaxMs: maybe,
    }),
  ),
  sendBacklogMaxBytes: orAbsent(isNumber),
  socketBuffersMaxBytes: perhaps,
  fileHandlesLeft: perhaps,
  fileHandlesLimit: perhaps,
  portsLeft: perhaps,
  portsLimit: perhaps,
  serverClockSkewMs: orAbsent(isNumber),
});

const isWorker = objectOf<WorkerFacts>({
  name: isName,
  host: isName,
  pid: isNumber,
  labels: (labels) => isObject(labels) && listOf(isName, mostLabels)(Object.entries(labels).flat()),
});

/** What each word says besides who says it. */
const words: {
  readonly [S in WorkerMessage['say']]: Shape<Omit<Extract<WorkerMessage, { say: S }>, 'say' | 'member'>>;
} = {
  joined: { worker: isWorker, clock: objectOf<ClockFacts>({ rttMs: isDelay }) },
  ready: { phase: isPhase },
  leaving: { phase: orNull(isPhase) },
  left: { phase: orNull(isPhase) },
  returned: { phase: isPhase, asks: isAsks },
  idle: { phase: isPhase, heard: objectOf<HeardWork>({ deals: isCount, again: isCount }) },
  drained: { phase: isPhase },
  health: {
    health: orNull(isHealth),
    clock: objectOf<ClockFacts & { driftMs: number }>({ rttMs: isDelay, driftMs: isNumber }),
    buffered: isCount,
  },
  failed: { mistakes: orNull(isMistakes), exitCode: isFailureCode, message: isText },
};

/** What a worker said; its names are made fit for a terminal. */
export function readWorkerMessage(text: string | undefined): WorkerMessage | null {
  const word = jsonIn(text ?? '') as WorkerMessage | null;
  if (!isObject(word) || !isName(word.member) || !isText(word.say) || !Object.hasOwn(words, word.say)) return null;
  if (!objectOf<object>(words[word.say])(word)) return null;
  if (word.say === 'failed') return { ...word, message: printableLines(word.message) };
  if (word.say !== 'joined') return word;
  const { worker } = word;
  const labels = Object.entries(worker.labels).map(([name, value]) => [printable(name), printable(value)]);
  const fit = { name: printable(worker.name), host: printable(worker.host), labels: Object.fromEntries(labels) };
  return { ...word, worker: { ...worker, ...fit } };
}

/** Numbers that somebody took. */
export function readClaim(fields: readonly string[]): Claim | null {
  const [, member, , phase, , from, , to] = fields;
  const claim = { member: member ?? '', phase: phase as PhaseName, from: Number(from), to: Number(to) };
  const isRange = isCount(claim.from) && isCount(claim.to) && claim.to - claim.from <= mostClaimed;
  return isPhase(phase) && isRange ? claim : null;
}

const isBatch = objectOf<Batch>({
  member: isName,
  number: isCount,
  phase: isPhase,
  upToMs: isNumber,
  progress: (progress) => listOf(isNumber, 5)(progress) && (progress as unknown[]).length === 5,
  ended: listOf(isEnded, mostInBatch),
});

/** Exchanges of a worker; one of a wrong shape, or of another phase, spoils its batch. */
export function readBatch(text: string | undefined): Batch | null {
  const batch = jsonIn(text ?? '') as Batch | null;
  if (!isBatch(batch)) return null;
  const warmup = batch!.phase === 'warmup';
  const isOf = ({ seq, warmup: warm }: Batch['ended'][number]['exchange']): boolean =>
    warm === warmup && isCount(warm ? -1 - seq : seq);
  return batch!.ended.every(({ exchange }) => isOf(exchange)) ? batch : null;
}

const orders: { readonly [S in Order['say']]: Shape<Omit<Extract<Order, { say: S }>, 'say'>> } = {
  prepare: { phase: isPhase, members: listOf(isName) },
  begin: { phase: isPhase, startMs: isNumber },
  deal: {
    phase: isPhase,
    deal: objectOf<Extract<Order, { say: 'deal' }>['deal']>({
      number: isCount,
      fromMs: isNumber,
      order: listOf(isName),
      slots: orNull((slots) => isObject(slots) && Object.values(slots).every(isCount)),
    }),
  },
  again: { phase: isPhase, member: isName, asks: isAsks },
  finish: { phase: isPhase },
  'stop-sending': {},
  'cancel-all': {},
  end: {},
};

/** What a controller ordered. */
export function readOrder(text: string | undefined): Order | null {
  const order = jsonIn(text ?? '') as Order | null;
  if (!isObject(order) || !isText(order.say) || !Object.hasOwn(orders, order.say)) return null;
  return objectOf<object>(orders[order.say])(order) ? order : null;
}

function printableLines(text: string): string {
  return text.slice(0, 10_000).split('\n').map(printable).join('\n');
}
