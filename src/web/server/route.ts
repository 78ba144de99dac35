import { mistake, UserError } from '../../core/index.ts';
import type { Mistake } from '../../core/index.ts';
import type { z } from '../api/shape.ts';
import type { Catalogue } from './catalogue.ts';
import type { Entry } from './renderings.ts';
import type { Context } from './http.ts';
import type { Jobs } from './jobs.ts';
import type { Trash } from './trash.ts';

/** Everything a route may use. */
export interface ServerContext {
  /** Folder of the results. */
  store: string;
  catalogue: Catalogue;
  jobs: Jobs;
  trash: Trash;
  /** Targets that runs may be started against; null = any. */
  allowedTargets: readonly string[] | null;
  /** Files that may be named as datasets, as they stand now. */
  datasets(): Promise<ReadonlySet<string>>;
  /** Environment variables that may be named as keys. */
  keyVariables: ReadonlySet<string>;
  /** Reached from other machines. */
  exposed: boolean;
}

/** One call of a route. */
export interface Call {
  hall: ServerContext;
  /** What stands in the path, decoded. */
  param(name: string): string;
  query(name: string): string | null;
  /** The body as its shape says; only where the route has one. */
  body: unknown;
  context: Context;
}

/** One thing the server does: its address, what goes in, what comes out. The OpenAPI page is made from the same. */
export interface Route {
  method: 'get' | 'post' | 'delete';
  /** Below /api/v1, `:name` for a part of the path. */
  path: string;
  about: string;
  query?: Readonly<Record<string, string>>;
  body?: z.ZodType | 'bytes';
  /** A JSON answer of this shape, or another media type. */
  answer: z.ZodType | string;
  handle(call: Call): Promise<unknown>;
}

/** Told as an answer with this status. */
export class Refused extends Error {
  override name = 'Refused';
  readonly status: 400 | 403 | 404 | 409 | 413 | 429;
  readonly mistakes: readonly Mistake[];

  constructor(status: Refused['status'], mistakes: readonly Mistake[]) {
    super(mistakes.map(({ message }) => message.en).join('; '));
    this.status = status;
    this.mistakes = mistakes;
  }
}

/** A refusal with one reason. */
export function refused(
  status: Refused['status'],
  code: string,
  en: string,
  zh: string,
  hintEn: string,
  hintZh: string,
): Refused {
  return new Refused(status, [mistake(code, en, zh, hintEn, hintZh)]);
}

/** The entry that a call names by its id; a refusal where the listing has none. */
export async function entryOf(call: Call, id = call.param('id')): Promise<Entry> {
  const entry = await call.hall.catalogue.entry(id);
  if (entry !== null) return entry;
  throw noSuchRun();
}

/** Told where an id is not in the listing. */
export function noSuchRun(): Refused {
  return refused(
    404,
    'no-such-run',
    'the store has no such run',
    '没有这个运行',
    'Go back to the list: it may have been deleted.',
    '请返回列表：它可能已被删除。',
  );
}

/** The single run that a call names. */
export async function runOf(call: Call): Promise<Entry & { kind: 'run' }> {
  const entry = await entryOf(call);
  if (entry.kind === 'run') return entry;
  throw refused(
    400,
    'not-a-run',
    `${entry.id} is a sweep, not one run`,
    `${entry.id} 是一次扫描，不是单个运行`,
    'Name one of its points as SWEEP/RUN.',
    '请以 SWEEP/RUN 指定其中一个点。',
  );
}

/** Mistakes of a user as a refusal; anything else is thrown on. */
export function asRefusal(error: unknown): Refused {
  if (error instanceof Refused) return error;
  if (error instanceof UserError) return new Refused(400, error.mistakes);
  throw error;
}
