/** Simulates beside the page, so that sliders never stall: asks come in, points go out one by one. */
import type { Summary } from '../../../core/index.ts';
import { UserError } from '../../../core/index.ts';
import { curvePoint, fittedCurve } from './curve.ts';
import type { CurveAsk, CurvePoint, FittedCurve } from './curve.ts';

/** What the page asks. A newer curve makes an older one stop. */
export type WorkerAsk =
  | { kind: 'curve'; round: number; ask: CurveAsk }
  | { kind: 'fit'; round: number; summaries: readonly Summary[] };

/** What the worker says. */
export type WorkerAnswer =
  | { kind: 'point'; round: number; point: CurvePoint }
  | { kind: 'done'; round: number; tookMs: number }
  | { kind: 'fitted'; round: number; fitted: FittedCurve }
  | { kind: 'failed'; round: number; en: string; zh: string };

const say = (answer: WorkerAnswer): void => postMessage(answer);
let latest = 0;

addEventListener('message', (event: MessageEvent<WorkerAsk>) => {
  const asked = event.data;
  latest = asked.round;
  void (asked.kind === 'curve' ? curve(asked.round, asked.ask) : fit(asked.round, asked.summaries));
});

async function curve(round: number, ask: CurveAsk): Promise<void> {
  const began = performance.now();
  for (const load of ask.loads) {
    // Lets a newer ask be heard.
    await new Promise((resolve) => void setTimeout(resolve, 0));
    if (round !== latest) return;
    say({ kind: 'point', round, point: curvePoint(ask, load) });
  }
  say({ kind: 'done', round, tookMs: performance.now() - began });
}

async function fit(round: number, summaries: readonly Summary[]): Promise<void> {
  await Promise.resolve();
  try {
    say({ kind: 'fitted', round, fitted: fittedCurve(summaries) });
  } catch (error) {
    const message = error instanceof UserError ? error.mistakes[0]!.message : { en: String(error), zh: String(error) };
    say({ kind: 'failed', round, ...message });
  }
}
