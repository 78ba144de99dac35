import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dyno, emptyFolder, engine } from './dyno.ts';
import type { Engine } from './dyno.ts';

const root = join(import.meta.dirname, '../..');
const fixtures = join(root, 'test/fixtures');
let server: Engine;
let store: string;

beforeAll(async () => {
  server = await engine(['--speed', '10']);
  store = await emptyFolder();
  const load = ['-n', '120', '--concurrency', '4', '--max-tokens', '8', '--ignore-eos', '--lenient', '--quiet'];
  for (const label of ['before', 'after'])
    await dyno(['run', server.url, ...load, '--label', label, '--store', store, '--devices', 'none']);
});
afterAll(() => server.stop());

/** What a schema of schemas/ has against what a command printed; empty = it fits. */
async function complaints(name: string, args: readonly string[]): Promise<unknown> {
  const url = args[0] === 'find' ? [server.url] : [];
  const done = await dyno([...args, ...url, '--json', '--store', store]);
  const document = JSON.parse(done.out) as { schema: string };
  const schema = JSON.parse(readFileSync(join(root, 'schemas', `${name}.schema.json`), 'utf8')) as object;
  // A pattern says what the format (date-time) says.
  const ajv = new Ajv2020({ allErrors: true, strict: false, validateFormats: false });
  ajv.validate(schema, document);
  return { schema: document.schema, against: ajv.errors ?? [] };
}

describe('every document of --json fits the JSON Schema that is shipped for it', () => {
  const published = join(root, 'examples/comparisons/mindie-910b4-vs-vllm-t4.md');
  const cases: [string, string, string[]][] = [
    ['compare', 'two runs', ['compare', 'before', 'after', '--fail-if', 'outputTokensPerSec<-50%', '--lenient']],
    ['compare', 'an imported file', ['compare', published, '--lenient']],
    ['trend', 'two runs', ['runs', '--trend', 'ttft.p99']],
    [
      'find',
      'a simulated engine',
      ['find', '--slo', 'tpot.p99<1s', '--concurrency', '1,4', '-n', '40', '--lenient', '--quiet'],
    ],
    ['import', 'a document', ['import', published]],
    ['audit', 'a document', ['audit', published]],
    ['audit', 'a run', ['audit', 'before']],
    ['fit', 'a document', ['fit', published, '--hold-out']],
    ['doctor', 'this host', ['doctor']],
    ['devices', 'this host', ['devices']],
    ['devices', 'a captured output', ['devices', '--from', join(fixtures, 'hardware-devices/mx-smi-2.1.6.txt')]],
    ['selftest', 'this client', ['selftest', '--concurrency', '4', '--duration', '2', '--lenient']],
  ];
  for (const [name, what, args] of cases)
    test(`dyno ${args[0]}: ${what}`, async () => {
      expect(await complaints(name, args)).toEqual({ schema: `llmdyno.${name}/1`, against: [] });
    });
});
