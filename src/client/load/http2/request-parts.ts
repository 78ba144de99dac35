import type { OutgoingHttpHeaders } from 'node:http2';

/** Headers that belong to one HTTP/1.1 connection and have no meaning in HTTP/2. */
const ofConnections = new Set(['connection', 'host', 'content-length', 'keep-alive', 'transfer-encoding', 'upgrade']);

/** The request that requestWriter wrote, as HTTP/2 says it. */
export interface RequestParts {
  headers: OutgoingHttpHeaders;
  body: string;
}

/** Takes HTTP/1.1 text apart; all requests of a run share their head but for its length, so it is read once. */
export function requestReader(scheme: 'http' | 'https'): (request: string) => RequestParts {
  let known: { head: string; headers: OutgoingHttpHeaders } | null = null;
  return (request) => {
    const end = request.indexOf('\r\n\r\n');
    // The last line is the length.
    const head = request.slice(0, request.lastIndexOf('\r\n', end - 1));
    if (known?.head !== head) known = { head, headers: headersOf(head, scheme) };
    const body = request.slice(end + 4);
    return { headers: { ...known.headers, 'content-length': Buffer.byteLength(body) }, body };
  };
}

function headersOf(head: string, scheme: string): OutgoingHttpHeaders {
  const [first = '', ...lines] = head.split('\r\n');
  const [method = '', path = ''] = first.split(' ');
  const headers: OutgoingHttpHeaders = { ':method': method, ':path': path, ':scheme': scheme };
  for (const line of lines) {
    const at = line.indexOf(': ');
    const name = line.slice(0, at);
    if (name === 'host') headers[':authority'] = line.slice(at + 2);
    if (!ofConnections.has(name)) headers[name] = line.slice(at + 2);
  }
  return headers;
}
