import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { UserError } from '../../core/index.ts';
import { pemFiles } from './pem-files.ts';

const ours = join(import.meta.dirname, '../../../test/fixtures/tls');
const [cert, key] = [join(ours, 'cert.pem'), join(ours, 'key.pem')];
const folder = mkdtempSync(join(tmpdir(), 'llmdyno-pem-'));
function written(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}
const strange = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const pem = { type: 'pkcs8', format: 'pem' } as const;
const none = { ca: null, cert: null, key: null };

test('a certificate and its key are taken, and nothing is read that is not named', () => {
  expect(Object.keys(pemFiles({ ca: cert, cert, key }))).toEqual(['ca', 'cert', 'key']);
  expect(pemFiles(none)).toEqual({});
});

describe('what cannot work is a mistake of its flag, before anything is sent', () => {
  const noPem = written('no.pem', 'hello');
  test.each([
    ['a key of another certificate', { cert, key: written('other.key', strange.export(pem) as string) }, '--cert-key'],
    [
      'a key with a passphrase',
      {
        cert,
        key: written('locked.key', strange.export({ ...pem, cipher: 'aes-128-cbc', passphrase: 'x' }) as string),
      },
      '--cert-key',
    ],
    ['an authority that is no PEM', { ca: noPem }, '--ca'],
    ['a certificate that is no PEM', { cert: noPem, key }, '--cert'],
    ['a file that is not there', { ca: join(folder, 'gone.pem') }, '--ca'],
  ])('%s', (_, files, flag) => {
    try {
      pemFiles({ ...none, ...files });
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(UserError);
      expect((error as UserError).mistakes).toMatchObject([{ code: 'cannot-read-pem', place: { flag } }]);
    }
  });
});
