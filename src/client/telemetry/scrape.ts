import { get as httpGet, Agent as HttpAgent } from 'node:http';
import { get as httpsGet, Agent as HttpsAgent } from 'node:https';
import { makeScrub, secretValues } from '../../core/index.ts';

const mostBytes = 16 * 1024 * 1024;

/** What asking for a page brought. */
export interface Scraped {
  status: number | null;
  body: string;
  /** What the system said where there was no complete answer. */
  failure: string | null;
}

/** Asks one server again and again over one connection; every question ends within its time limit. */
export interface Scraper {
  ask(url: string, timeoutMs: number): Promise<Scraped>;
  close(): void;
}

/** Makes a scraper. Headers are sent with every question; `insecure` accepts any certificate. */
export function makeScraper(headers: Readonly<Record<string, string>>, insecure: boolean): Scraper {
  const scrub = makeScrub(secretValues(headers));
  const http = new HttpAgent({ keepAlive: true, maxSockets: 1 });
  const https = new HttpsAgent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: !insecure });
  return {
    ask(url, timeoutMs) {
      return new Promise((resolve) => {
        const secure = url.startsWith('https:');
        let body = '';
        const done = (status: number | null, failure: string | null): void => {
          clearTimeout(timer);
          resolve({ status, body: scrub(body), failure });
        };
        const request = (secure ? httpsGet : httpGet)(url, { agent: secure ? https : http, headers }, (answer) => {
          answer.setEncoding('utf8');
          answer.on('data', (piece: string) => {
            body += piece;
            if (body.length > mostBytes) request.destroy(new Error('page too long'));
          });
          answer.on('end', () => done(answer.statusCode ?? null, null));
          answer.on('error', (error) => done(null, error.message));
        });
        const timer = setTimeout(() => request.destroy(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
        request.on('error', (error) => done(null, error.message));
      });
    },
    close() {
      http.destroy();
      https.destroy();
    },
  };
}
