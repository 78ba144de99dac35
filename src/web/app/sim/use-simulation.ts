import type { Summary } from '../../../core/index.ts';
import { useEffect, useRef, useState } from '../preact.ts';
import { ApiError } from '../state/ask.ts';
import { both } from '../state/settings.ts';
import type { CurveAsk, CurvePoint, FittedCurve } from './curve.ts';
import type { WorkerAnswer, WorkerAsk } from './sim-worker.ts';

/** A simulation that follows what is asked. */
export interface Simulation {
  points: readonly CurvePoint[];
  fitted: FittedCurve | null;
  busy: boolean;
  tookMs: number | null;
  trouble: ApiError | null;
  /** To be called on every drawing; the same ask is played once. */
  ask(ask: CurveAsk | null): void;
}

interface State {
  points: CurvePoint[];
  fitted: FittedCurve | null;
  busy: boolean;
  tookMs: number | null;
  trouble: ApiError | null;
}

const calm: State = { points: [], fitted: null, busy: false, tookMs: null, trouble: null };
const afterTypingMs = 80;

/** Plays curves and fits in a worker; the old curve stays until the first point of the new one is there. */
export function useSimulation(summaries: readonly Summary[], wantsFit: boolean): Simulation {
  const [state, setState] = useState<State>(calm);
  const [asked, setAsked] = useState<{ key: string; ask: CurveAsk | null }>({ key: '', ask: null });
  const workers = useRef<{ curve: Worker; fit: Worker } | null>(null);
  const round = useRef(0);
  useEffect(() => {
    const made = { curve: makeWorker(), fit: makeWorker() };
    workers.current = made;
    const fresh: CurvePoint[] = [];
    made.curve.addEventListener('message', ({ data }: MessageEvent<WorkerAnswer>) => {
      if (data.round !== round.current) return;
      if (data.kind === 'point') fresh.push(data.point);
      if (data.kind === 'done') {
        const points = fresh.splice(0);
        setState((old) => ({ ...old, points, busy: false, tookMs: data.tookMs }));
      }
    });
    made.fit.addEventListener('message', ({ data }: MessageEvent<WorkerAnswer>) => {
      if (data.kind === 'fitted') setState((old) => ({ ...old, fitted: data.fitted, trouble: null }));
      if (data.kind === 'failed') setState((old) => ({ ...old, busy: false, trouble: failed(data.en, data.zh) }));
    });
    return () => {
      made.curve.terminate();
      made.fit.terminate();
      workers.current = null;
    };
  }, []);
  useEffect(() => {
    setState((old) => ({ ...old, fitted: null, trouble: null }));
    if (!wantsFit || summaries.length === 0) return;
    const order: WorkerAsk = { kind: 'fit', round: 0, summaries };
    workers.current?.fit.postMessage(order);
  }, [summaries, wantsFit]);
  useEffect(() => {
    if (asked.ask === null) return;
    const { ask } = asked;
    setState((old) => ({ ...old, busy: true }));
    const timer = setTimeout(() => {
      const order: WorkerAsk = { kind: 'curve', round: ++round.current, ask };
      workers.current?.curve.postMessage(order);
    }, afterTypingMs);
    return () => clearTimeout(timer);
  }, [asked.key]);
  return {
    ...state,
    ask: (ask) => {
      const key = JSON.stringify(ask);
      if (key !== asked.key) setAsked({ key, ask });
    },
  };
}

function makeWorker(): Worker {
  return new Worker(new URL('./sim-worker.ts', import.meta.url), { type: 'module' });
}

function failed(en: string, zh: string): ApiError {
  return new ApiError(0, [
    {
      message: both(`No engine could be fitted: ${en}`, `无法拟合：${zh}`),
      hint: both('Choose a sweep with at least three usable points.', '请选择至少有三个可用点的扫描。'),
    },
  ]);
}
