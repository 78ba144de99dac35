import { isSimulatedEngine, lengthText } from '../../core/index.ts';
import type { RunPlan, Summary } from '../../core/index.ts';
import type { Meter } from './meter.ts';

/** What a summary says that the exchanges do not know. Whatever is left out is null, false or empty. */
export interface SummaryFacts
  extends
    Pick<Summary, 'runId' | 'simulated' | 'load'>,
    Partial<
      Pick<
        Summary,
        | 'label'
        | 'source'
        | 'partial'
        | 'model'
        | 'startedAt'
        | 'server'
        | 'devices'
        | 'client'
        | 'printed'
        | 'lengthsAsked'
        | 'asked'
        | 'engine'
        | 'stoppedBecause'
        | 'resumed'
      >
    > {
  /** How many measured requests the plan asked for; null = as many as came due, which are those recorded. */
  planned: number | null;
}

/** The summary of what a meter has seen. Its verdict is empty: the audit fills it. */
export function summarise(meter: Meter, facts: SummaryFacts): Summary {
  return {
    schema: 'llmdyno.summary/1',
    runId: facts.runId,
    label: facts.label ?? null,
    source: facts.source ?? { tool: 'llmdyno', file: null },
    simulated: facts.simulated,
    partial: facts.partial ?? false,
    ...(facts.stoppedBecause !== undefined && { stoppedBecause: facts.stoppedBecause }),
    ...(facts.resumed !== undefined && { resumed: facts.resumed }),
    model: facts.model ?? null,
    startedAt: facts.startedAt ?? null,
    load: facts.load,
    ...(facts.engine !== undefined && { engine: facts.engine }),
    ...(facts.lengthsAsked !== undefined && { lengthsAsked: facts.lengthsAsked }),
    ...(facts.asked !== undefined && { asked: facts.asked }),
    ...meter.read(facts.planned),
    printed: facts.printed ?? {},
    server: facts.server ?? null,
    devices: facts.devices ?? null,
    client: facts.client ?? null,
    verdict: { valid: true, findings: [] },
  };
}

/** What a plan says about its summary: label, model, load and the number of requests planned. */
export function factsOfPlan(
  plan: RunPlan,
): Pick<SummaryFacts, 'label' | 'model' | 'load' | 'lengthsAsked' | 'asked' | 'engine' | 'planned'> {
  const { asked, lengths, target } = plan;
  return {
    label: plan.label,
    model: plan.target.model,
    load: {
      kind: plan.load.arrival.process === 'trace' ? 'replay' : plan.load.kind,
      concurrency: plan.load.concurrency,
      ratePerSec: plan.load.ratePerSec,
      stream: plan.generation.stream,
    },
    ...(target.server !== undefined && {
      engine: { server: target.server, simulated: isSimulatedEngine(target.server) },
    }),
    ...(asked !== undefined && { asked }),
    ...(lengths !== undefined && {
      lengthsAsked: {
        input: lengths.input === null ? null : lengthText(lengths.input),
        output: lengths.output === null ? null : lengthText(lengths.output),
      },
    }),
    // With a duration, planned is what came due, and every ask that came due is recorded.
    planned: plan.durationMs === null ? plan.requests : null,
  };
}
