import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { TLSSocket } from 'node:tls';

const mostBytes = 4 * 1024 * 1024;

/** What one question to the engine brought, with what the connection itself tells. */
export interface EngineAnswer {
  status: number | null;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: string;
  failure: string | null;
  /** The connection had been used before. */
  reused: boolean;
  /** When the head arrived, wall time; for clock skew. */
  headAtMs: number | null;
  tls: { authorized: boolean; why: string | null; validTo: string | null; protocol: string | null } | null;
}

/** Asks questions over one kept connection. */
export interface EngineAsker {
  ask(method: 'GET' | 'POST', url: string, body: string | null, timeoutMs: number): Promise<EngineAnswer>;
  close(): void;
}

/** Makes an asker; certificates are looked at but never refused, because saying what is wrong with one is its job. */
export function makeAsker(headers: Readonly<Record<string, string>>): EngineAsker {
  const http = new HttpAgent({ keepAlive: true, maxSockets: 1 });
  const https = new HttpsAgent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
  return {
    ask: (method, url, body, timeoutMs) =>
      new Promise((resolve) => {
        const secure = url.startsWith('https:');
        const found: EngineAnswer = {
          status: null,
          headers: {},
          body: '',
          failure: null,
          reused: false,
          headAtMs: null,
          tls: null,
        };
        let request: ClientRequest | null = null;
        const done = (failure: string | null): void => {
          clearTimeout(timer);
          resolve({ ...found, failure, reused: request?.reusedSocket ?? false });
        };
        const timer = setTimeout(
          () => request?.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)),
          timeoutMs,
        );
        const heard = (answer: IncomingMessage): void => {
          Object.assign(found, { headAtMs: Date.now(), status: answer.statusCode ?? null, headers: answer.headers });
          if (secure) found.tls = certificateOf(answer.socket as TLSSocket);
          answer.setEncoding('utf8');
          answer.on('data', (piece: string) => {
            found.body += piece;
            if (found.body.length > mostBytes) request?.destroy(new Error('answer too long'));
          });
          answer.on('end', () => done(null));
          answer.on('error', (error) => done(error.message));
        };
        const length =
          body === null ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
        try {
          const options = { method, agent: secure ? https : http, headers: { ...headers, ...length } };
          request = (secure ? httpsRequest : httpRequest)(url, options, heard);
          request.on('error', (error) => done(error.message || 'connection failed'));
          request.end(body ?? undefined);
        } catch (error) {
          done(error instanceof Error ? error.message : 'cannot be asked');
        }
      }),
    close() {
      http.destroy();
      https.destroy();
    },
  };
}

function certificateOf(socket: TLSSocket): EngineAnswer['tls'] {
  const certificate = socket.getPeerCertificate();
  return {
    authorized: socket.authorized,
    why: socket.authorized ? null : String(socket.authorizationError ?? 'not trusted'),
    validTo: typeof certificate?.valid_to === 'string' ? certificate.valid_to : null,
    protocol: socket.getProtocol(),
  };
}
