import { problem } from '../../core/index.ts';
import type { Problem, ProblemCode } from '../../core/index.ts';
import { tlsCause } from './tls-cause.ts';

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
  // OpenSSL's own line is numbers and file names; the reason in it tells as much, also where the code does not (EPROTO).
  const reason = /:error:[0-9A-F]{8}:[^:]*:[^:]*:([^:]+):/i.exec(words)?.[1];
  const told = reason === undefined ? code : `ERR_SSL_${reason.toUpperCase().replaceAll(/\W+/g, '_')}`;
  const cause = tlsCause(told);
  if (cause !== null) return problem('tls', `${cause.why.en} (${reason ?? words})`);
  if (stage === 'handshaking') return problem('tls', words);
  const known = codes[code];
  if (known !== undefined && (stage === 'connecting' || known === 'client-resources')) return problem(known, words);
  return problem(stage === 'connecting' ? 'connect-failed' : 'reset', words);
}
