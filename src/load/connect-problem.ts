import { problem } from '../core/index.ts';
import type { Problem, ProblemCode } from '../core/index.ts';

const codes: Record<string, ProblemCode> = {
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  EAI_FAIL: 'dns',
  ECONNREFUSED: 'connect-refused',
  ETIMEDOUT: 'connect-timeout',
  EMFILE: 'client-resources',
  ENFILE: 'client-resources',
  EADDRNOTAVAIL: 'client-resources',
  EADDRINUSE: 'client-resources',
  ENOBUFS: 'client-resources',
};

/** The stage a connection was in when it broke. */
export type Stage = 'connecting' | 'handshaking' | 'open';

/** What a socket error means for the request on it. */
export function socketProblem(error: NodeJS.ErrnoException, stage: Stage): Problem {
  const first = error instanceof AggregateError ? (error.errors[0] as NodeJS.ErrnoException) : error;
  const code = first.code ?? '';
  const words = first.message === '' ? code : first.message;
  const trust = tlsWords(/wrong version number/i.test(words) ? 'ERR_SSL_WRONG_VERSION_NUMBER' : code);
  if (trust !== null) return problem('tls', `${trust} (${words})`);
  if (stage === 'handshaking') return problem('tls', words);
  const known = codes[code];
  if (known !== undefined && (stage === 'connecting' || known === 'client-resources')) return problem(known, words);
  return problem(stage === 'connecting' ? 'connect-failed' : 'reset', words);
}

/** What an error of certificates means, and what helps; null = it is something else. */
function tlsWords(code: string): string | null {
  switch (code) {
    case 'CERT_HAS_EXPIRED':
      return "the server's certificate has expired";
    case 'CERT_NOT_YET_VALID':
      return "the server's certificate is not valid yet";
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return "the server's certificate is for another host";
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
    case 'CERT_SIGNATURE_FAILURE':
      return "the server's certificate is signed by nobody we trust: name its authority with --ca";
    case 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED':
    case 'ERR_SSL_TLSV1_ALERT_CERTIFICATE_REQUIRED':
      return 'the server asks for a client certificate: give --cert and --cert-key';
    case 'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA':
    case 'ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE':
    case 'ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN':
    case 'ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED':
      return 'the server does not accept our client certificate';
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
      return 'the server does not speak TLS here: http instead of https?';
    default:
      return /^ERR_(SSL|TLS)_/.test(code) ? 'TLS failed' : null;
  }
}
