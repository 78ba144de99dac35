import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import tls from 'node:tls';
import { userError } from '../../core/index.ts';

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
      throw userError(
        'cannot-read-pem',
        `the key in ${file} is not that of the certificate`,
        `${file} 中的私钥与证书不匹配`,
        'Give the key that --cert was made with.',
        '请给出与 --cert 对应的私钥。',
        flag,
      );
    }
    throw userError(
      'cannot-read-pem',
      `${file} cannot be used (${message})`,
      `${file} 无法使用（${message}）`,
      'Give a PEM file (-----BEGIN …-----); a key without a passphrase.',
      '请给出 PEM 文件（-----BEGIN …-----）；私钥不能带口令。',
      flag,
    );
  }
}

function pemText(file: string, flag: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
    throw userError(
      'cannot-read-pem',
      `cannot read ${file} (${why})`,
      `无法读取 ${file}（${why}）`,
      'Give a PEM file.',
      '请给出 PEM 文件。',
      flag,
    );
  }
}
