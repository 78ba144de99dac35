import type { AddressInfo } from 'node:net';
import { version } from '../../lab/index.ts';
import type { AppFiles } from './app-files.ts';
import { makeCatalogue } from './catalogue.ts';
import { datasetFiles } from './dataset-files.ts';
import { bracketed, isLoopback, makeGuard, makeToken, safeHeaders } from './guard.ts';
import { Hono, serve } from './http.ts';
import type { Context, ServerType } from './http.ts';
import { makeJobs } from './jobs.ts';
import type { JobSettings } from './jobs.ts';
import { openApi } from './open-api.ts';
import { asRefusal, refused } from './route.ts';
import type { Call, ServerContext, Refused, Route } from './route.ts';
import { apiRoot, routes } from './routes.ts';
import { makeTrash } from './trash.ts';

/** How the page is served. */
export interface UiOptions extends JobSettings {
  host: string;
  /** 0 = any free one. */
  port: number;
  /** null = any target, which is so on loopback only. */
  allowedTargets: readonly string[] | null;
  /** The folder whose files may be named as datasets; null = none may. */
  datasets: string | null;
  /** Environment variables that may be named as keys; no others can. */
  keyVariables: readonly string[];
  /** null = a new one is made. */
  token: string | null;
  files: AppFiles;
  /** Tells whoever runs the page what nobody expected. */
  tell(error: unknown): void;
}

/** The server under way. */
export interface RunningUi {
  /** Where it listens. */
  address: string;
  /** What to open: the address with the token. */
  url: string;
  close(): Promise<void>;
}

const mostJsonBytes = 256 * 1024;

/** Serves the page and its API; resolves once it listens. */
export async function startUi(options: UiOptions): Promise<RunningUi> {
  const { host, store } = options;
  const exposed = !isLoopback(host);
  const token = options.token ?? makeToken();
  const catalogue = makeCatalogue(store);
  const trash = makeTrash(store);
  await trash.empty();
  const hall: ServerContext = {
    store,
    catalogue,
    trash,
    jobs: makeJobs(options),
    allowedTargets: options.allowedTargets,
    datasets: () => datasetFiles(options.datasets),
    keyVariables: new Set(options.keyVariables),
    exposed,
  };
  const app = new Hono();
  let judge: ReturnType<typeof makeGuard> | null = null;
  app.use(async (context, next) => {
    for (const [name, value] of Object.entries(safeHeaders)) context.header(name, value);
    const judged = judge?.(context) ?? null;
    if (judged === null) return next();
    if ('redirect' in judged) {
      if (judged.cookie !== null) context.header('set-cookie', judged.cookie);
      if (judged.byPage) return context.html(`<meta http-equiv="refresh" content="0; url=${judged.redirect}">`);
      return context.redirect(judged.redirect, 303);
    }
    return context.text(`${judged.why}\n`, judged.status);
  });
  for (const route of routes) app.on(route.method.toUpperCase(), apiRoot + route.path, handler(route, hall));
  app.get(`${apiRoot}/openapi.json`, (context) => context.json(openApi(version)));
  app.get('*', (context) => fileAnswer(context, options.files));
  app.onError((error, context) => {
    options.tell(error);
    return context.text('this did not work; the terminal of dyno ui says why\n', 500);
  });
  app.notFound((context) => context.text('nothing is here\n', 404));
  const server = await listen(app, host, options.port);
  const { port } = server.address() as AddressInfo;
  judge = makeGuard({ host, port, token });
  const shown = host === '0.0.0.0' || host === '::' ? 'localhost' : bracketed(host);
  const address = `http://${shown}:${port}/`;
  return {
    address,
    url: `${address}?token=${token}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        if ('closeAllConnections' in server) server.closeAllConnections();
      }),
  };
}

function listen(app: Hono, hostname: string, port: number): Promise<ServerType> {
  return new Promise((resolve, reject) => {
    const server = serve({ fetch: app.fetch, hostname, port }, () => resolve(server));
    server.once('error', reject);
  });
}

function handler(route: Route, hall: ServerContext): (context: Context) => Promise<Response> {
  return async (context) => {
    try {
      const call: Call = {
        hall,
        context,
        param: (name) => context.req.param(name) ?? '',
        query: (name) => context.req.query(name) ?? null,
        body: await bodyOf(route, context),
      };
      const answer = await route.handle(call);
      if (!(answer instanceof Response)) return context.json(answer as never);
      for (const [name, value] of Object.entries(safeHeaders)) answer.headers.set(name, value);
      return answer;
    } catch (error) {
      // Whoever asked went away: there is nobody to tell.
      if (context.req.raw.signal.aborted) return context.body(null, 400);
      const { status, mistakes } = asRefusal(error);
      return context.json({ mistakes } as never, status);
    }
  };
}

/** The JSON body of a call, checked against its shape. */
async function bodyOf(route: Route, context: Context): Promise<unknown> {
  if (route.body === undefined || route.body === 'bytes') return null;
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of context.req.raw.body ?? []) {
    bytes += (piece as Uint8Array).length;
    if (bytes > mostJsonBytes) throw badBody(413, 'the body is too large', '请求体过大');
    pieces.push(piece as Uint8Array);
  }
  let value: unknown;
  try {
    value = JSON.parse(Buffer.concat(pieces).toString('utf8'));
  } catch {
    throw badBody(400, 'the body is not JSON', '请求体不是 JSON');
  }
  const checked = route.body.safeParse(value);
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  const where = `${issue?.path.map(String).join('.') ?? ''}: ${issue?.message ?? ''}`;
  throw badBody(400, `the body does not fit: ${where}`, `请求体不符合格式：${where}`);
}

function badBody(status: 400 | 413, en: string, zh: string): Refused {
  return refused(status, 'bad-body', en, zh, 'See /api/v1/openapi.json.', '见 /api/v1/openapi.json。');
}

function fileAnswer(context: Context, files: AppFiles): Response {
  const path = new URL(context.req.url).pathname;
  const file = files.get(path === '/' ? '/index.html' : path);
  if (file === undefined) return context.text('nothing is here\n', 404);
  const packed = /\bbr\b/.test(context.req.header('accept-encoding') ?? '') && file.bytes.length > 1024;
  return context.body(packed ? file.packed() : file.bytes, 200, {
    'content-type': file.type,
    'cache-control': file.forEver ? 'public, max-age=31536000, immutable' : 'no-cache',
    vary: 'accept-encoding',
    ...(packed && { 'content-encoding': 'br' }),
  });
}
