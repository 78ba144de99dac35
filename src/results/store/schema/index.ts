/**
 * The shapes of the files in a run folder, as zod schemas that the compiler holds equal to core's interfaces.
 * Reading checks against them; the JSON Schemas in schemas/ are made from them by scripts/schemas.mjs.
 * A change here that refuses older files needs a new version word and a reader for the old one.
 */
export { answerSchema, exchangeSchema } from './exchange-schema.ts';
export { jsonSchemas } from './json-schemas.ts';
export type { JsonSchemaName } from './json-schemas.ts';
export { runRecordSchema } from './plan-schema.ts';
export type { HostFacts, RunRecord } from './plan-schema.ts';
export { summarySchema } from './summary-schema.ts';
export { sweepRecordSchema, sweepSchema } from './sweep-schema.ts';
export type { SweepRecord } from './sweep-schema.ts';
