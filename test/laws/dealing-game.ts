import { requestSourceAt, RequestQueue } from '../../src/inputs/arrival/index.ts';
import type { RequestSource, DealtPhase, DueRequest, PacerLimits } from '../../src/inputs/arrival/index.ts';
import type { LoadShape, Prompt } from '../../src/core/index.ts';

/** What was asked, by which place, and when. */
export interface Asked {
  seq: number;
  place: number;
  dueMs: number;
  sentMs: number;
  endMs: number;
  promptId: string;
}

/** A load that some places send together in virtual time. */
export interface Game {
  load: LoadShape;
  limits: PacerLimits;
  of: number;
  seed: number;
  /** Lengths of the conversations, one after the other and again; null = every prompt is asked by itself. */
  turns: readonly number[] | null;
  /** How long answers take, and who is served first where several could be. */
  chance: readonly number[];
  stopAtMs?: number;
}

/** Makes the dealing of each place; `idle` = nothing is left to do, and whoever deals may say so to all. */
export type MakePlaces = (game: Game, phase: DealtPhase) => { places: readonly RequestSource[]; allIdle?(): boolean };

/** What a game came to: what was asked, what was dropped, and the numbers that were planned and are not sent. */
export interface Played {
  asked: Asked[];
  dropped: number[];
  rest: number[];
}

export const thinkMs = 7;

/** Conversation `number` of so many turns; each turn is named after both. */
function talk(number: number, turns: number, turn = 0): Prompt {
  return {
    id: `t${number}#${turn}`,
    messages: [],
    text: null,
    inputTokens: null,
    maxTokens: null,
    labels: {},
    thinkMs,
    turns: turns - turn,
    follow: () => (turn + 1 < turns ? talk(number, turns, turn + 1) : null),
  };
}

/** The places of a run over threads, or of virtual time where there is one. */
export const threads: MakePlaces = ({ of }, phase) => {
  const claimed = { requests: new Int32Array(1), conversations: new Int32Array(1) };
  return { places: Array.from({ length: of }, (_, index) => requestSourceAt({ index, of, claimed }, phase, null)) };
};

/** Plays a load to its end, or to the moment at which sending is stopped. */
export async function play(game: Game, makePlaces: MakePlaces = threads): Promise<Played> {
  const { load, limits, seed, turns, chance, stopAtMs = Infinity } = game;
  const open = (number: number, dueMs: number | null) => {
    let turnsBefore = 0;
    for (let i = 0; i < number; i++) turnsBefore += turns![i % turns!.length]!;
    return { prompt: talk(number, turns![number % turns!.length]!), turnsBefore, dueMs };
  };
  const played: Played = { asked: [], dropped: [], rest: [] };
  const { places: dealings, allIdle } = makePlaces(game, { load, limits, seed, conversations: turns !== null });
  const places = dealings.map((requestSource, index) => {
    const dropped = ({ seq }: DueRequest): void => void played.dropped.push(seq);
    const queue = new RequestQueue({ load, limits, requestSource, open: turns === null ? null : open, dropped });
    queue.originMs = 0;
    return { index, queue, flights: [] as { asked: Asked; request: DueRequest }[], untilMs: Infinity };
  });
  let [drawn, nowMs] = [0, 0];
  const draw = (below: number): number => chance[drawn++ % chance.length]! % below;
  const pump = async (place: (typeof places)[number]): Promise<void> => {
    place.untilMs = Infinity;
    for (;;) {
      const move = place.queue.next(nowMs, place.flights.length);
      if (move === 'wait' || move === 'done') return;
      if (move === 'again') continue;
      if (move instanceof Promise) await move;
      else if ('untilMs' in move) {
        place.untilMs = move.untilMs;
        return;
      } else {
        const promptId = move.turn?.prompt.id ?? `p${move.seq}`;
        const times = { dueMs: move.dueMs, sentMs: nowMs, endMs: nowMs + 1 + draw(60) };
        const asked = { seq: move.seq, place: place.index, ...times, promptId };
        played.asked.push(asked);
        place.flights.push({ asked, request: move });
      }
    }
  };
  for (;;) {
    for (let left = [...places]; left.length > 0;) await pump(left.splice(draw(left.length), 1)[0]!);
    // Numbers that were claimed over a wire are there.
    await new Promise<void>((resolve) => setImmediate(resolve));
    if (allIdle !== undefined) for (const place of places) await pump(place);
    const ends = places.flatMap(({ flights }) => flights.map(({ asked }) => asked.endMs));
    if (ends.length === 0 && allIdle?.() === true) break;
    const eventMs = Math.min(...ends, ...places.map(({ untilMs }) => untilMs));
    if (eventMs === Infinity || eventMs > stopAtMs) break;
    if (eventMs <= nowMs) throw new Error(`time stands still at ${nowMs}`);
    nowMs = eventMs;
    for (const place of places) {
      const ended = place.flights.filter(({ asked }) => asked.endMs <= nowMs);
      place.flights = place.flights.filter(({ asked }) => asked.endMs > nowMs);
      for (const { asked, request } of ended)
        if (request.turn !== null)
          place.queue.ended(request.turn, { text: '', reasoning: '', outputTokens: 1 }, asked.endMs);
    }
  }
  for (const { queue } of places) queue.stop((seq) => played.rest.push(seq));
  return played;
}

/** The most that were asked and not ended at one time. */
export function mostAtOnce(asked: readonly Pick<Asked, 'sentMs' | 'endMs'>[]): number {
  const there = (atMs: number): number => asked.filter(({ sentMs, endMs }) => sentMs <= atMs && atMs < endMs).length;
  return Math.max(0, ...asked.map(({ sentMs }) => there(sentMs)));
}
