import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import tls from 'node:tls';
import { UserError } from '../../core/index.ts';
import type { Phrase } from '../../core/index.ts';

/** The certificates that a plan names, as texts that OpenSSL takes; what it does not take is a mistake of the flag. */
export function pemFiles(files: { ca: string | null; cert: string | null; key: string | null }): {
  ca?: string;
  cert?: string;
  key?: string;
} {
  const ca = files.ca === null ? null : pemText(files.ca, '--ca');
  if (ca !== null) taken('--ca', files.ca!, () => new X509Certificate(ca));
  const cert = files.cert === null ? null : pemText(files.cert, '--cert');
  if (cert !== null) taken('--cert', files.cert!, () => tls.createSecureContext({ cert }));
  const key = files.key === null ? null : pemText(files.key, '--cert-key');
  if (key !== null)
    taken('--cert-key', files.key!, () => tls.createSecureContext({ key, ...(cert !== null && { cert }) }));
  return { ...(ca !== null && { ca }), ...(cert !== null && { cert }), ...(key !== null && { key }) };
}

function taken(flag: string, file: string, use: () => unknown): void {
  try {
    use();
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (code === 'ERR_OSSL_X509_KEY_VALUES_MISMATCH') {
      throw refused(
        flag,
        { en: `the key in ${file} is not that of the certificate`, zh: `${file} 中的私钥与证书不匹配` },
        { en: 'Give the key that --cert was made with.', zh: '请给出与 --cert 对应的私钥。' },
      );
    }
    throw refused(
      flag,
      { en: `${file} cannot be used (${message})`, zh: `${file} 无法使用（${message}）` },
      {
        en: 'Give a PEM file (-----BEGIN …-----); a key without a passphrase.',
        zh: '请给出 PEM 文件（-----BEGIN …-----）；私钥不能带口令。',
      },
    );
  }
}

function pemText(file: string, flag: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
    throw refused(
      flag,
      { en: `cannot read ${file} (${why})`, zh: `无法读取 ${file}（${why}）` },
      { en: 'Give a PEM file.', zh: '请给出 PEM 文件。' },
    );
  }
}

function refused(flag: string, message: Phrase, hint: Phrase): UserError {
  return new UserError({ code: 'cannot-read-pem', message, hint, place: { flag } });
}
