import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { randomStream } from '../../src/core/index.ts';
import type { Summary, Sweep } from '../../src/core/index.ts';
import { dyno } from './dyno.ts';
import { blows, filesBelow, held, lost, recordsOf, remains, runFolders, strike } from './kills.ts';
import type { Blow, Command, Struck } from './kills.ts';

const long = process.env['LLMDYNO_LONG'] === '1';
/** What the blows of each kind of experiment are multiplied by: with the cluster's own test some 35 in all, and 1,000 in the long size. */
const times = long ? 10 : 1 / 3;
/** Against waiting for ever. */
export const limitMs = long ? 14_400_000 : 1_200_000;
/** Another seed draws other moments. */
const seed = Number(process.env['LLMDYNO_KILLS_SEED'] ?? 33);

/** What a case is told by in a failure. */
interface Case {
  number: number;
  what: Blow | null;
  at: number;
}

/** One kind of experiment: how it begins, and what is wrong with what a blow left and with how it goes on. */
export interface Kind {
  begin(): Promise<Command>;
  goOn(command: Command, struck: Struck, askedBefore: number): Promise<string[]>;
}

/** Begins so many of a kind, strikes each at a moment drawn from all that one left in peace does, and looks at what is left. */
export async function play(name: string, count: number, kind: Kind): Promise<void> {
  const chance = randomStream(seed, name);
  let whole = 0;
  for (let number = 0; number <= Math.ceil(count * times); number += 1) {
    // The first is left in peace: it tells how much there is to do.
    const what = number === 0 ? null : blows[chance.below(blows.length)]!;
    const at = 1 + chance.below(Math.max(1, whole));
    const command = await kind.begin();
    const { server, store } = command;
    const [asked, ended] = [server?.asked ?? 0, server?.ended.length ?? 0];
    const struck = await strike(command, what === null ? null : { what, at, chance });
    whole = Math.max(whole, number === 0 ? struck.progress : 0);
    const wrong = await remains(struck, what, store);
    if (server !== null) {
      const gone = lost(struck, server, ended, store);
      if (gone > 0) wrong.push(`${gone} answers are lost`);
    }
    wrong.push(...(await kind.goOn(command, struck, asked)));
    wrong.push(...(await held(store)));
    await server?.close();
    const told: Case = { number, what, at };
    expect({ ...told, wrong, store }, `${name} ${number}: ${what} at ${at} of ${whole}`).toEqual({
      ...told,
      wrong: [],
      store,
    });
  }
}

/** Whether a store holds something that can go on. */
const begun = (store: string): boolean =>
  [...filesBelow(store).keys()].some((name) => /^[^/]+\/(plan|sweep)\.json$/.test(name));

/** Goes on with a run or a sweep, and counts what was asked for it. */
export async function resumed(
  verb: 'run' | 'sweep',
  { store, server }: Command,
  { done: first }: Struck,
  askedBefore: number,
  byWhom: 'alone' | 'by workers' = 'alone',
): Promise<string[]> {
  const wrong: string[] = [];
  if (!begun(store)) return server!.asked > askedBefore ? ['asked before there was a plan on disk'] : [];
  const before = new Map(runFolders(store).map((run) => [run, recordsOf(run)]));
  const standing = [...before.values()].flat().filter(({ outcome }) => outcome !== 'cancelled').length;
  const asked = server!.asked;
  const done = await dyno([verb, '--resume', 'latest', '--json', '--lenient', '--store', store]);
  const now = server!.asked - asked;
  const finished = done.code === 2 && /is finished/.test(done.err);
  if (first.code === 0 && !finished) wrong.push(`a whole one went on: ${done.code} ${done.err}`);
  // Workers that were told to end may have answered so before their controller was gone; then this is what came of the run.
  const calledOff = byWhom === 'by workers' && first.code === 130;
  const neverBegan = byWhom === 'by workers' && asked === askedBefore && [...before.values()].flat().length === 0;
  if ((calledOff || neverBegan) && /does not hold that run/.test(done.err)) {
    // A controller that could answer has called its workers off, and one that was struck at once had not told them: what it had is told, and a new run begins anew.
    const seqs = [...before.values()].flat().map(({ seq }) => seq);
    return new Set(seqs).size === seqs.length ? [] : [`a number stands twice: ${seqs.join()}`];
  }
  if (!finished && done.code !== 0) return [...wrong, `--resume ended with ${done.code}: ${done.err}`];
  const planned: number[] = [];
  for (const run of runFolders(store)) {
    const { counts } = JSON.parse(readFileSync(join(run, 'summary.json'), 'utf8')) as Summary;
    planned.push(counts.planned);
    const asExpected = calledOff ? counts.ok + counts.cancelled : counts.ok;
    if (asExpected !== counts.planned || counts.unaccounted !== 0) wrong.push(`${run}: ${JSON.stringify(counts)}`);
    const records = recordsOf(run);
    const seqs = records.map(({ seq }) => seq).toSorted((a, b) => a - b);
    if (seqs.join() !== Array.from({ length: counts.planned }, (_, seq) => seq).join())
      wrong.push(`${run}: records of ${seqs.join()}`);
    const kept = new Map(records.map((record) => [record.seq, JSON.stringify(record)]));
    for (const record of before.get(run) ?? [])
      if (record.outcome === 'ok' && kept.get(record.seq) !== JSON.stringify(record))
        wrong.push(`${run}: record ${record.seq} changed`);
  }
  const all = planned.reduce((sum, count) => sum + count, 0);
  // Workers may go on between the two commands: there the whole is counted, with those that were cancelled asked again.
  const cancelled = [...before.values()].flat().filter(({ outcome }) => outcome === 'cancelled').length;
  const isExact =
    calledOff ||
    (byWhom === 'alone'
      ? now === all - standing
      : server!.asked - askedBefore >= all && server!.asked - askedBefore <= all + cancelled);
  if (!isExact) wrong.push(`${now} asked where ${all - standing} of ${all} were left`);
  if (finished) return wrong;
  const said = JSON.parse(done.out) as Summary | Sweep;
  const listed = 'points' in said ? said.points.map(({ runId }) => runId).toSorted() : [said.runId];
  const there = runFolders(store).map((run) => run.split('/').at(-1)!);
  if (there.toSorted().join() !== listed.join())
    wrong.push(`folders ${there.join()} where ${listed.join()} are listed`);
  return wrong;
}
