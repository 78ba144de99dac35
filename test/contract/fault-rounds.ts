import { readdirSync, readlinkSync } from 'node:fs';
import type { Exchange, RunPlan, StopRule } from '../../src/core/index.ts';
import { makeLoadRunner } from '../../src/client/load/index.ts';
import { fromPrompts, plainPrompt } from '../../src/inputs/workload/index.ts';
import { causesOf, endsConnection } from './faults/deed.ts';
import { faultsOf, reachedBy, transports } from './faults/transports.ts';
import type { Transport } from './faults/transports.ts';

/**
 * A process of its own for the faults: all of them mixed, streamed and not, over every transport at once, round after round.
 * What ends a connection is not mixed with others that share it: the matrix has it.
 * Prints one line of JSON: what was found of each round. Started with --expose-gc.
 */
const rounds = Number(process.argv[2]);
const copies = 3;
const concurrency = 8;
/** Rounds of the event loop within which a slot is in use again, however busy the machine. */
const mostTurns = 20_000;
/** What never ends would hold up every round; the matrix has it. */
const namesOf = (transport: Transport, isFirst: boolean): string[] =>
  Object.entries(faultsOf(transport))
    .filter(([name, fault]) => {
      if (name === 'drips without end' || (transport.http2 && endsConnection(fault.deed(true)))) return false;
      // What is silent is given up after seconds: once is enough.
      return isFirst || !name.startsWith('is silent');
    })
    .map(([name]) => name);
const wires = transports.flatMap((transport) => [false, true].map((stream) => ({ transport, stream })));
/** Long enough for a machine that stalls: nothing but what is silent or endless may reach them. */
const timeouts = { connectMs: 20_000, ttftMs: null, readMs: 5000, totalMs: 60_000 };

export interface Round {
  /** After a collection: heap, and what is held beside it. */
  heldBytes: number;
  sockets: number;
  resources: string[];
  serversOpen: number;
  /** Requests that ended elsewhere than where their fault belongs. */
  wrong: string[];
  requests: number;
  /** Numbers of asks that are missing or came twice. */
  unaccounted: number;
  /** Mean of the requests in flight once the slot of each end is in use again, as a share of those asked for. */
  inFlightRatio: number;
}

/** What a fault comes to with the timeouts of this run. */
function expectedOf(transport: Transport, name: string, stream: boolean): string[] {
  const causes = causesOf(faultsOf(transport)[name]!, stream, transport);
  return causes.map((cause) => (cause === 'timeout-ttft' ? 'timeout-read' : cause));
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function play(
  transport: Transport,
  stream: boolean,
  isFirst: boolean,
): Promise<Pick<Round, 'wrong' | 'unaccounted' | 'inFlightRatio' | 'requests'> & { open: number }> {
  const names = namesOf(transport, isFirst);
  let asked = 0;
  const server = await reachedBy(transport, (streamed, body) => {
    const name = names[Number(/fault (\d+)/.exec(body)?.[1])];
    // Asked what it does with a connection before a request has come, it waits.
    if (name === undefined) return { after: 'keep' };
    asked++;
    // One after the other, as answers of a server end: all at once they would only show how long connecting takes.
    return { ...faultsOf(transport)[name]!.deed(streamed), waitMs: (asked * 37) % 101 };
  });
  const base = server.plan;
  const requests = names.length * copies;
  const plan: RunPlan = {
    ...base,
    requests,
    generation: { ...base.generation, stream },
    load: { ...base.load, concurrency },
    timeouts,
  };
  const prompts = names.map((name, i) => plainPrompt(name, `fault ${i}`));
  const runner = makeLoadRunner({ workload: () => fromPrompts(prompts, { offset: 0, cycle: true }), secrets: {} });
  const looks: number[] = [];
  // An end calls for the next ask, which may give way to reads, and on a busy machine for long; a slot that was lost is lost
  // for good, so that the full number is never seen again.
  const look = (turns: number): void => {
    const { sent, inFlight } = runner.state();
    if (sent >= requests) return;
    if (inFlight < concurrency && turns > 0) setImmediate(() => look(turns - 1));
    else looks.push(inFlight / concurrency);
  };
  const rule: StopRule = () => {
    setImmediate(() => look(mostTurns));
    return 'go';
  };
  const { signal } = new AbortController();
  const exchanges: Exchange[] = [];
  for await (const { exchange } of runner.run(plan, { drain: signal, cancel: signal }, [rule]))
    exchanges.push(exchange);
  const wrong = exchanges.flatMap(({ promptId, outcome, problem }) => {
    const found = outcome === 'ok' ? 'ok' : (problem?.code ?? outcome);
    return expectedOf(transport, promptId, stream).includes(found)
      ? []
      : [`${transport.name}, ${promptId}: ${found} (${problem?.words})`];
  });
  const givenUpMs = performance.now() + 20_000;
  while (server.open() > 0 && performance.now() < givenUpMs) await turn();
  const open = server.open();
  await server.stop();
  const seqs = new Set(exchanges.map(({ seq }) => seq));
  return {
    open,
    wrong,
    requests,
    unaccounted: requests - seqs.size + (exchanges.length - seqs.size),
    inFlightRatio: looks.reduce((sum, one) => sum + one, 0) / looks.length,
  };
}

function openSockets(): number {
  try {
    const links = readdirSync('/proc/self/fd').map((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`);
      } catch {
        return '';
      }
    });
    return links.filter((link) => link.startsWith('socket:')).length;
  } catch {
    return 0;
  }
}

/** Everything that keeps the process alive. */
const resources = (): string[] => process.getActiveResourcesInfo().filter((name) => !/Immediate|FSReq|Pipe/.test(name));

async function round(isFirst: boolean): Promise<Round> {
  const ends = await Promise.all(wires.map(({ transport, stream }) => play(transport, stream, isFirst)));
  // What one collection lets go may hold something else until the next.
  for (let i = 0; i < 300; i++) {
    if (i % 100 === 0) globalThis.gc!();
    await turn();
  }
  globalThis.gc!();
  const { heapUsed, external } = process.memoryUsage();
  return {
    heldBytes: heapUsed + external,
    sockets: openSockets(),
    resources: resources(),
    serversOpen: ends.reduce((sum, { open }) => sum + open, 0),
    requests: ends.reduce((sum, { requests }) => sum + requests, 0),
    wrong: ends.flatMap(({ wrong }) => wrong),
    unaccounted: ends.reduce((sum, { unaccounted }) => sum + unaccounted, 0),
    inFlightRatio: ends.reduce((sum, { inFlightRatio }) => sum + inFlightRatio, 0) / ends.length,
  };
}

// The module's own files are closed by now.
for (let i = 0; i < 50; i++) await turn();
const before = { sockets: openSockets(), resources: resources() };
const found: Round[] = [];
for (let i = 0; i < rounds; i++) found.push(await round(i === 0));
process.stdout.write(`${JSON.stringify({ before, rounds: found })}\n`);
