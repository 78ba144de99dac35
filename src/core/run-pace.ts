import type { RunState } from './runner.ts';

/** How a run moves at this moment, by what its client says of itself. */
export interface Pace {
  /** Requests that ended per second, over the last seconds; null = it was looked at only once. */
  requestsPerSec: number | null;
  /** Output tokens heard per second, over the same; null = the client does not tell. */
  tokensPerSec: number | null;
  /** Time since anything came, while answers are waited for; null = none is, or the client does not tell. */
  silentMs: number | null;
  /** So long that nobody should take it for a pause between two tokens. */
  isSilent: boolean;
}

const overMs = 3000;
/** Longer than tokens of a busy server are apart. */
const silenceMs = 1000;

/** The pace of a run from states as they come, in order. A state of another run begins anew. */
export function paceKeeper(): { saw(state: RunState): Pace } {
  let states: RunState[] = [];
  /** When answers began to be waited for; null = none is. */
  let waitingSinceMs: number | null = null;
  return {
    saw(state) {
      if ((states.at(-1)?.nowMs ?? 0) > state.nowMs) {
        states = [];
        waitingSinceMs = null;
      }
      waitingSinceMs = state.inFlight === 0 ? null : (waitingSinceMs ?? state.nowMs);
      states.push(state);
      const from = states.findLastIndex(({ nowMs }) => state.nowMs - nowMs >= overMs);
      states.splice(0, Math.max(0, from));
      return paceOver(states[0]!, state, waitingSinceMs);
    },
  };
}

function paceOver(first: RunState, last: RunState, waitingSinceMs: number | null): Pace {
  const sec = (last.nowMs - first.nowMs) / 1000;
  const ended = (state: RunState): number => state.ok + state.failed;
  const { heardMs, heardTokens } = last;
  const silentMs =
    heardMs === undefined || waitingSinceMs === null
      ? null
      : Math.max(0, last.nowMs - Math.max(heardMs ?? 0, waitingSinceMs));
  return {
    requestsPerSec: sec > 0 ? (ended(last) - ended(first)) / sec : null,
    tokensPerSec:
      sec > 0 && heardTokens !== undefined && first.heardTokens !== undefined
        ? (heardTokens - first.heardTokens) / sec
        : null,
    silentMs,
    isSilent: silentMs !== null && silentMs >= silenceMs,
  };
}

/** The time that is left of a run of which a share is done; null = too early to say, or nothing moves. */
export function remainingMs(elapsedMs: number, doneRatio: number, { isSilent }: Pick<Pace, 'isSilent'>): number | null {
  if (isSilent || doneRatio <= 0.02 || doneRatio >= 1 || elapsedMs <= 0) return null;
  return (elapsedMs / doneRatio) * (1 - doneRatio);
}
