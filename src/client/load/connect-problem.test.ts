import { describe, expect, test } from 'vitest';
import { socketProblem } from './connect-problem.ts';
import { tlsCauseOf } from './tls-cause.ts';

const line = (reason: string): string =>
  `write EPROTO 807CE6275A7F0000:error:0A000410:SSL routines:ssl3_read_bytes:${reason}:../deps/openssl/ssl/record/rec_layer_s3.c:1601:SSL alert number 40\n`;

describe('what OpenSSL says is told by its reason', () => {
  // Code and message as Node 20 gave them, against openssl's s_server in each of these states.
  test.each([
    [
      'EPROTO',
      line('sslv3 alert handshake failure'),
      /^the server refused the handshake.*\(sslv3 alert handshake failure\)$/,
    ],
    ['EPROTO', line('wrong version number'), /^the server does not speak TLS here.*\(wrong version number\)$/],
    ['EPROTO', line('tlsv1 alert protocol version'), /^the server speaks no TLS version that we do/],
    [
      'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
      line('tlsv13 alert certificate required'),
      /^the server asks for a client/,
    ],
    [
      'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA',
      line('tlsv1 alert unknown ca'),
      /^the server does not accept our client certificate/,
    ],
    [
      'SELF_SIGNED_CERT_IN_CHAIN',
      'self-signed certificate in certificate chain',
      /^the server's certificate is signed by nobody/,
    ],
    ['CERT_HAS_EXPIRED', 'certificate has expired', /^the server's certificate has expired/],
    ['ERR_SSL_BAD_EXTENSION', line('bad extension'), /^TLS failed \(bad extension\)$/],
  ])('%s %s', (code, message, words) => {
    const why = socketProblem(Object.assign(new Error(message), { code }), 'handshaking');
    expect(why.code).toBe('tls');
    expect(why.words).toMatch(words);
    // The cause is found again by its words, with a hint of its own in both languages.
    expect(why.words!.startsWith(tlsCauseOf(why.words!).why.en)).toBe(true);
    expect(tlsCauseOf(why.words!).hint.zh).toMatch(/\p{Script=Han}/u);
  });
});

test('a connection that breaks for another reason is no TLS problem once it is open', () => {
  const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  expect(socketProblem(reset, 'open').code).toBe('reset');
  expect(socketProblem(reset, 'handshaking').code).toBe('tls');
  expect(socketProblem(Object.assign(new Error('x'), { code: 'ECONNREFUSED' }), 'connecting').code).toBe(
    'connect-refused',
  );
});
