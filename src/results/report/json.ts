import { summaryDocument, sweepDocument } from '../../core/index.ts';
import type { Sweep } from '../../core/index.ts';
import { withRoof } from '../measure/index.ts';
import { frontierDocument } from './frontier-curves.ts';
import { isComparison } from './reported.ts';
import type { Reported, Reporter, ReportOptions } from './reported.ts';

/** The thing itself: `llmdyno.summary/1`, `llmdyno.sweep/1`, or a list of sweeps. */
export const json: Reporter = (what, { machineOf }) => `${JSON.stringify(documentOf(what, machineOf), null, 2)}\n`;

function documentOf(what: Reported, machineOf: ReportOptions['machineOf']): unknown {
  if (isComparison(what)) return what.map((sweep) => sweepIn(sweep, machineOf));
  return what.schema === 'llmdyno.sweep/1' ? sweepIn(what, machineOf) : withRoof(summaryDocument(what));
}

function sweepIn(sweep: Sweep, machineOf: ReportOptions['machineOf']): unknown {
  const document = sweepDocument(sweep);
  const frontier = frontierDocument([sweep], machineOf);
  return { ...document, points: document.points.map(withRoof), ...(frontier.length > 0 && { frontier }) };
}
