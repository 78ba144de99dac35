import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { checkMindieConfig, planDocument, planJsonSchemas } from './index.ts';

const read = (path: string): unknown => JSON.parse(readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8'));

describe('the published JSON Schemas', () => {
  it.each(Object.entries(planJsonSchemas()))('schemas/%s.schema.json is current', (name, schema) => {
    expect(read(`schemas/${name}.schema.json`)).toEqual(JSON.parse(JSON.stringify(schema)));
  });

  it('hold for a plan and for a check, by another validator', () => {
    // A pattern says what the format (date-time) says.
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const plan = planDocument({
      modelName: 'deepseek-v3',
      cardName: 'h20',
      cards: 8,
      inputTokens: 500,
      outputTokens: 500,
    });
    const check = checkMindieConfig(read('test/fixtures/plan/mindie-guide-example.json'), {
      file: 'x',
      mode: null,
      plan: null,
    });
    const schemas = planJsonSchemas();
    expect(ajv.validate(schemas['capacity-plan'], JSON.parse(JSON.stringify(plan)))).toBe(true);
    expect(ajv.validate(schemas['capacity-check'], JSON.parse(JSON.stringify(check)))).toBe(true);
  });
});
