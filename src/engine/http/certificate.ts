import { createPrivateKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';

/** A certificate and its key, PEM. */
export interface Certified {
  cert: string;
  key: string;
}

/** What a certificate is to say. */
export interface CertificateWish {
  name: string;
  /** Host names and addresses it stands for. */
  hosts: readonly string[];
  from: Date;
  until: Date;
  /** It may sign others. */
  authority?: boolean;
  /** Who signs it; left out = itself. */
  signer?: Certified & { name: string };
}

/**
 * Makes an X.509 certificate (P-256, ECDSA with SHA-256). Only what a test server needs of RFC 5280, written out as DER:
 * version, serial number, names, dates, key, and the extensions basicConstraints and subjectAltName.
 */
export function makeCertificate(wish: CertificateWish): Certified {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  const serial = randomBytes(16);
  serial[0]! &= 0x7f;
  serial[0]! |= 0x40;
  const body = sequence(
    tagged(0xa0, integer(Buffer.from([2]))),
    integer(serial),
    ecdsaWithSha256,
    nameOf(wish.signer?.name ?? wish.name),
    sequence(time(wish.from), time(wish.until)),
    nameOf(wish.name),
    pair.publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(basicConstraints(wish.authority ?? false), alternativeNames(wish.hosts))),
  );
  const signature = sign('sha256', body, createPrivateKey(wish.signer?.key ?? key));
  const whole = sequence(body, ecdsaWithSha256, tagged(0x03, Buffer.concat([Buffer.from([0]), signature])));
  return { cert: pem(whole), key };
}

const dayMs = 24 * 3600 * 1000;

/** A certificate for this host that signs itself, good from yesterday for a month. */
export function selfSigned(hosts: readonly string[]): Certified {
  const now = Date.now();
  return makeCertificate({
    name: 'llmdyno simulated engine',
    hosts: [...new Set(['localhost', '127.0.0.1', '::1', ...hosts])],
    from: new Date(now - dayMs),
    until: new Date(now + 30 * dayMs),
    authority: true,
  });
}

function tagged(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  if (content.length < 128) return Buffer.concat([Buffer.from([tag, content.length]), content]);
  const length: number[] = [];
  for (let left = content.length; left > 0; left >>= 8) length.unshift(left & 0xff);
  return Buffer.concat([Buffer.from([tag, 0x80 | length.length, ...length]), content]);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, ...parts);
}

function integer(bytes: Buffer): Buffer {
  return tagged(0x02, bytes);
}

/** An object identifier from its bytes, the way DER has them. */
function identifier(...bytes: number[]): Buffer {
  return tagged(0x06, Buffer.from(bytes));
}

/** 1.2.840.10045.4.3.2 */
const ecdsaWithSha256 = sequence(identifier(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));

/** A distinguished name of one common name (2.5.4.3). */
function nameOf(text: string): Buffer {
  return sequence(tagged(0x31, sequence(identifier(0x55, 0x04, 0x03), tagged(0x0c, Buffer.from(text, 'utf8')))));
}

/** UTCTime, YYMMDDHHMMSSZ; dates until 2049. */
function time(date: Date): Buffer {
  const digits = date.toISOString().replaceAll(/[-:T]/g, '').slice(2, 14);
  return tagged(0x17, Buffer.from(`${digits}Z`, 'latin1'));
}

/** 2.5.29.19, critical. */
function basicConstraints(authority: boolean): Buffer {
  const truth = tagged(0x01, Buffer.from([0xff]));
  const value = sequence(...(authority ? [truth] : []));
  return sequence(identifier(0x55, 0x1d, 0x13), truth, tagged(0x04, value));
}

/** 2.5.29.17: names as [2], addresses as [7]. */
function alternativeNames(hosts: readonly string[]): Buffer {
  const names = hosts.map((host) =>
    isIP(host) === 0 ? tagged(0x82, Buffer.from(host, 'latin1')) : tagged(0x87, addressBytes(host)),
  );
  return sequence(identifier(0x55, 0x1d, 0x11), tagged(0x04, sequence(...names)));
}

function addressBytes(host: string): Buffer {
  if (isIP(host) === 4) return Buffer.from(host.split('.').map(Number));
  const [head = '', tail = ''] = host.split('::');
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const zeros = 8 - groups(head).length - groups(tail).length;
  const all = host.includes('::')
    ? [...groups(head), ...Array.from({ length: zeros }, () => '0'), ...groups(tail)]
    : groups(head);
  return Buffer.from(all.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff]));
}

function pem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g)!;
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
