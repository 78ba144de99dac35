import type { Lang } from '../../core/index.ts';
import { fitTrace, nextForTrace } from '../../advice/fit/index.ts';
import type { TracedRequest, TraceFitOptions } from '../../advice/fit/index.ts';
import { schedulers } from '../../engine/sim/index.ts';
import type { EngineProfile } from '../../engine/sim/index.ts';
import { nameOf, nextMeasured } from './fit-document.ts';
import type { FittedEntry } from './fit-document.ts';

/** What a fit of a request trace is told besides the requests. */
export interface TraceAsk extends TraceFitOptions {
  next: boolean;
  date: string;
  lang: Lang;
}

/** Fits the first part of a trace and says how well the rest is predicted. */
export function fitRequests(title: string, requests: readonly TracedRequest[], ask: TraceAsk): FittedEntry {
  const { scheduler, settings } = ask;
  const { batchSetting } = schedulers[scheduler];
  const fit = fitTrace(requests, ask);
  const kvFound = ask.kv === null && fit.profile.kv !== null;
  const batch = Number(fit.profile.scheduler?.settings[batchSetting] ?? fit.profile.maxBatchSize);
  const name = nameOf(title);
  const profile: EngineProfile = {
    ...fit.profile,
    name,
    title,
    model: name,
    source: `dyno fit: the first ${fit.trained} of ${requests.length} requests of ${title.slice(0, 200)}`,
    date: ask.date,
    fit: {
      fittedTo: `the first ${fit.trained} requests`,
      heldOutError: Object.fromEntries(
        Object.entries(fit.metrics).map(([key, metric]) => [key, Math.abs(metric.error)]),
      ),
      intervals: fit.intervals,
    },
  };
  return {
    id: name,
    title,
    profile,
    maxBatchSize: fit.batchKnown ? batch : null,
    maxBatchSizeFrom: Object.hasOwn(settings, batchSetting) ? 'given' : fit.batchKnown ? 'plateau' : 'not-reached',
    limit: kvFound ? 'kv' : fit.batchKnown ? 'batch' : 'none',
    used: [],
    excluded: [],
    intervals: fit.intervals,
    residual: fit.residual,
    heldOut: { metrics: fit.metrics },
    interpolation: null,
    next: ask.next ? nextMeasured(nextForTrace(fit, requests, batch), ask.lang) : null,
  };
}
