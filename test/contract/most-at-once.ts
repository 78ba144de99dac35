/** How many stretches overlap at most; one that begins where another ends follows it. */
export function mostAtOnce(stretches: readonly (readonly [fromMs: number, toMs: number])[]): number {
  const steps = stretches.flatMap(([fromMs, toMs]) => [
    { at: fromMs, step: 1 },
    { at: toMs, step: -1 },
  ]);
  let now = 0;
  let most = 0;
  for (const { step } of steps.toSorted((a, b) => a.at - b.at || a.step - b.step)) most = Math.max(most, (now += step));
  return most;
}
