import { z } from './shape.ts';
import { answerSchema, exchangeSchema } from './exchange-schema.ts';
import { runRecordSchema } from './plan-schema.ts';
import { summaryDocumentSchema } from './summary-schema.ts';
import { sweepRecordSchema, sweepSchema } from './sweep-schema.ts';

const published = {
  run: { schema: runRecordSchema, title: 'plan.json of a run (llmdyno.run/1)' },
  exchange: { schema: exchangeSchema, title: 'One line of exchanges.ndjson' },
  answer: { schema: answerSchema, title: 'One line of answers.ndjson' },
  summary: { schema: summaryDocumentSchema, title: 'summary.json and dyno run --json (llmdyno.summary/1)' },
  sweep: { schema: sweepSchema, title: 'dyno sweep --json (llmdyno.sweep/1)' },
  'sweep-file': { schema: sweepRecordSchema, title: 'sweep.json on disk (llmdyno.sweep/1)' },
} as const;

/** The name of a published JSON Schema: schemas/NAME.schema.json. */
export type JsonSchemaName = keyof typeof published;

/** Every JSON Schema that the package ships (draft 2020-12), by name. Keys that they do not know are allowed. */
export function jsonSchemas(): Record<JsonSchemaName, Record<string, unknown>> {
  const entries = Object.entries(published).map(([name, { schema, title }]) => {
    const { $schema, ...rest } = z.toJSONSchema(schema, { target: 'draft-2020-12', io: 'input' });
    return [name, { $schema, title, ...rest }];
  });
  return Object.fromEntries(entries) as Record<JsonSchemaName, Record<string, unknown>>;
}
