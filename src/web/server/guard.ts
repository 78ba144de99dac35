import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { hostname, networkInterfaces } from 'node:os';
import type { Context } from './http.ts';

/** Who may talk to the server. */
export interface GuardOptions {
  /** The address it listens on, as asked for. */
  host: string;
  port: number;
  /** Asked of everybody, on loopback too: other users of this host reach it as well. */
  token: string;
}

/**
 * A reason to refuse, or null. `redirect` = the token was right: keep it in a cookie and go on without it. `byPage` =
 * another site or a file led here, and browsers send a strict cookie only to where a page of ours points.
 */
export type Judged =
  | { status: 400 | 401 | 403; why: string }
  | { redirect: string; cookie: string | null; byPage: boolean }
  | null;

/** 256 bits that nobody can guess. */
export function makeToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Whether an address is only reached from this machine. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

/**
 * Judges a request before anything else looks at it: the Host must be one of ours (a name that somebody points at us by
 * DNS is not), a page of another origin may not even ask, changes carry our own header, and everything needs the token.
 */
export function makeGuard({ host, port, token }: GuardOptions): (context: Context) => Judged {
  const names = new Set(hostNames(host).map((name) => `${name}:${port}`));
  const hash = digest(token);
  const right = (given: string | undefined): boolean => given !== undefined && timingSafeEqual(digest(given), hash);
  // Cookies are kept by host, whatever the port: several pages of one host each need a name of their own.
  const cookieName = `dyno_token_${port}`;
  return (context) => {
    const said = context.req.header('host')?.toLowerCase() ?? '';
    if (!names.has(said)) return { status: 403, why: 'this Host is not served here' };
    const origin = context.req.header('origin');
    if (origin !== undefined && origin !== `http://${said}`) return { status: 403, why: 'a foreign Origin' };
    const site = context.req.header('sec-fetch-site');
    const isPage = context.req.header('sec-fetch-mode') === 'navigate' && context.req.method === 'GET';
    const led = site !== undefined && site !== 'same-origin' && site !== 'none';
    if (led && !isPage) return { status: 403, why: 'asked by another site' };
    if (!['GET', 'HEAD'].includes(context.req.method) && context.req.header('x-llmdyno') !== '1')
      return { status: 403, why: 'changes need the header x-llmdyno: 1' };
    if (right(cookieOf(context.req.header('cookie'), cookieName))) return null;
    const url = new URL(context.req.url);
    const given = url.searchParams.get('token');
    if (context.req.method === 'GET' && url.pathname === '/' && given !== null && right(given))
      return {
        redirect: '/',
        cookie: `${cookieName}=${token}; HttpOnly; SameSite=Strict; Path=/; Max-Age=2592000`,
        byPage: led,
      };
    const bearer = /^Bearer (.+)$/.exec(context.req.header('authorization') ?? '')?.[1];
    if (right(bearer)) return null;
    if (led && url.pathname === '/') return { redirect: '/', cookie: null, byPage: true };
    return { status: 401, why: 'open the address that dyno ui printed: it carries the token' };
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function cookieOf(header: string | undefined, cookieName: string): string | undefined {
  for (const part of (header ?? '').split(';')) {
    const [name, value] = part.trim().split('=');
    if (name === cookieName) return value;
  }
  return undefined;
}

/** The names that this machine goes by: addresses only, its own host name, and what was asked for. */
function hostNames(host: string): string[] {
  const loopback = ['localhost', '127.0.0.1', '[::1]'];
  if (isLoopback(host)) return [...loopback, bracketed(host)];
  const everywhere = host === '0.0.0.0' || host === '::';
  const own = Object.values(networkInterfaces()).flatMap((list) =>
    (list ?? []).map(({ address }) => bracketed(address)),
  );
  return [...loopback, ...(everywhere ? own : [bracketed(host)]), hostname().toLowerCase()].map((name) =>
    name.toLowerCase(),
  );
}

/** An address as it stands in a URL. */
export function bracketed(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}

/** Headers of every answer: nothing runs, loads or frames the page but the page itself. */
export const safeHeaders: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};
