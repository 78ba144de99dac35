import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { documentJsonSchemas } from '../../scripts/document-schemas.ts';

const folder = join(import.meta.dirname, '../../schemas');
const shipped = (name: string): unknown => JSON.parse(readFileSync(join(folder, name), 'utf8'));

describe('the JSON Schemas of what --json prints', () => {
  test('are those that the code makes (node scripts/schemas.mjs writes them), and each has a title', () => {
    for (const [name, schema] of Object.entries(documentJsonSchemas()))
      expect(shipped(`${name}.schema.json`)).toEqual(schema);
    for (const name of readdirSync(folder)) expect(shipped(name)).toHaveProperty('title');
  });
  test('refuse what is not such a document', () => {
    // A pattern says what the format (date-time) says.
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    for (const schema of Object.values(documentJsonSchemas())) {
      expect(ajv.validate(schema, {})).toBe(false);
      expect(ajv.validate(schema, { schema: 'llmdyno.other/1' })).toBe(false);
    }
  });
});
