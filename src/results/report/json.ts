import type { Reporter } from './reported.ts';

/** The thing itself: `llmdyno.summary/1`, `llmdyno.sweep/1`, or a list of sweeps. */
export const json: Reporter = (what) => `${JSON.stringify(what, null, 2)}\n`;
