import { coordinatesOf } from './space.ts';
import type { Place, Space } from './space.ts';
import type { Located } from './surrogate.ts';

/** Weight of the hope that an untried place works, in trials. */
const hope = 1.5;
const reach = 0.15;
const sure = 0.97;

/**
 * Chance that the server works at a place, from where it did and where it did not. Where failures lie above all that worked in
 * what eats memory (batch, memory, prefill tokens), the edge lies between the two and the chance falls from one to the other;
 * failures of any other kind are felt around themselves.
 */
export function worksChances(space: Space, located: readonly Located[]): (place: Place) => number {
  const told = located.filter(({ trial }) => trial.outcome !== 'interrupted');
  const failed = told.filter(({ trial }) => trial.outcome !== 'ok').map(({ at }) => at);
  const worked = told.filter(({ trial }) => trial.outcome === 'ok').map(({ at }) => at);
  if (failed.length === 0) return () => 1;
  const greedy = space.knobs.flatMap((knob, i) =>
    knob.ordered && (knob.role === 'batch' || knob.role === 'memory' || knob.role === 'prefill-tokens') ? [i] : [],
  );
  const above = (a: readonly number[], b: readonly number[]): number => Math.max(...greedy.map((i) => a[i]! - b[i]!));
  const explained = greedy.length > 0 && failed.every((bad) => worked.every((good) => above(bad, good) > 0));
  return (place) => {
    const at = coordinatesOf(space, place);
    if (!explained) return vote(space, at, worked, failed);
    const beyond = worked.length === 0 ? 1 : Math.max(0, Math.min(...worked.map((good) => above(at, good))));
    const before = Math.max(0, Math.min(...failed.map((bad) => above(bad, at))));
    if (beyond === 0) return sure;
    return before === 0 ? 1 - sure : Math.min(sure, Math.max(1 - sure, before / (before + beyond)));
  };
}

function vote(
  space: Space,
  at: readonly number[],
  worked: readonly (readonly number[])[],
  failed: readonly (readonly number[])[],
): number {
  const near = (seen: readonly number[]): number => {
    let squared = 0;
    space.knobs.forEach((knob, i) => {
      if (knob.ordered) squared += ((at[i]! - seen[i]!) / reach) ** 2;
      else if (at[i] !== seen[i]) squared += 2;
    });
    return 3 * Math.exp(-squared / 2);
  };
  const sum = (places: readonly (readonly number[])[]): number => places.reduce((total, seen) => total + near(seen), 0);
  const yes = hope + sum(worked);
  return Math.min(sure, yes / (yes + sum(failed))) ** 2;
}
