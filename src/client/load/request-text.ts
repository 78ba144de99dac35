import { hiddenValue, userError } from '../../core/index.ts';
import type { RunPlan } from '../../core/index.ts';
import type { HttpCall } from '../protocol/index.ts';
import type { Endpoint } from './endpoint.ts';

/** Values that plan.json never holds: the API key and hidden headers, by header name. */
export type Secrets = Readonly<Record<string, string>>;

/** The header that a proxy alone may see. */
export const proxyAuthorization = 'proxy-authorization';

/** Makes the text of requests to one endpoint; everything that is the same for all of them is built once. */
export function requestWriter(
  endpoint: Endpoint,
  target: RunPlan['target'],
  secrets: Secrets,
): (call: HttpCall) => string {
  const fixed: [string, string][] = [
    ['host', endpoint.hostHeader],
    ['connection', 'keep-alive'],
    // Decompressing would hide when tokens arrived.
    ['accept-encoding', 'identity'],
    ['user-agent', 'llmdyno'],
  ];
  for (const [name, value] of Object.entries({ ...target.headers, ...secrets })) {
    if (name.toLowerCase() === proxyAuthorization && endpoint.viaProxy !== true) continue;
    if (value !== hiddenValue) fixed.push([name.toLowerCase(), value]);
  }
  for (const [name, value] of fixed) checkHeader(name, value);
  const mine = new Set(fixed.map(([name]) => name));
  let shared: { headers: HttpCall['headers']; head: string } | null = null;
  return (call) => {
    if (shared?.headers !== call.headers) {
      const headers = [...fixed, ...call.headers.filter(([name]) => !mine.has(name))];
      const head =
        `${call.method} ${endpoint.path} HTTP/1.1\r\n` +
        headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
      shared = { headers: call.headers, head };
    }
    return `${shared.head}content-length: ${Buffer.byteLength(call.body)}\r\n\r\n${call.body}`;
  };
}

function checkHeader(name: string, value: string): void {
  if (/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name) && !/[^\t\u0020-\u007e]/.test(value)) return;
  throw userError(
    'bad-header',
    `header "${name}" has a name or value that HTTP cannot carry`,
    `请求头 "${name}" 的名称或取值不合法`,
    "Write it as --header 'Name: value', on one line.",
    "请写成一行：--header 'Name: value'。",
    '--header',
  );
}
