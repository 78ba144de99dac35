/**
 * The words that every room uses: asks, exchanges, plans, summaries, problems, findings, and the few
 * pure tools that all of them need (random streams, quantiles, phrases).
 *
 * Imports nothing, touches nothing. A type belongs here when two rooms that may not see each other both speak of it.
 * Start reading at exchange.ts (the one record) and run-plan.ts (what was asked for); rooms.ts is the import table.
 */
export * from './ask.ts';
export * from './cells.ts';
export * from './defined.ts';
export * from './dimensions.ts';
export * from './exchange.ts';
export * from './extremes.ts';
export * from './finding.ts';
export * from './invariant.ts';
export * from './json-value.ts';
export * from './length-law.ts';
export * from './linear-algebra.ts';
export * from './loopback.ts';
export * from './think-law.ts';
export * from './mistake.ts';
export * from './nearest.ts';
export * from './phrase.ts';
export * from './printed-digits.ts';
export * from './problem.ts';
export * from './quantile.ts';
export * from './random.ts';
export * from './rooms.ts';
export * from './run-plan.ts';
export * from './run-pace.ts';
export * from './runner.ts';
export * from './secret-values.ts';
export * from './searched.ts';
export * from './shell-word.ts';
export * from './summary.ts';
export * from './summary-document.ts';
