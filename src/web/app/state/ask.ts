import type { Phrase } from '../../../core/index.ts';
import type { Refusal } from '../../api/shapes.ts';
import { useEffect, useRef, useState } from '../preact.ts';
import { both } from './settings.ts';

/** Why something did not work, for people. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly mistakes: readonly { message: Phrase; hint: Phrase; place?: object | undefined }[];
  readonly status: number;

  constructor(status: number, mistakes: ApiError['mistakes']) {
    super(mistakes[0]?.message.en ?? 'trouble');
    this.status = status;
    this.mistakes = mistakes;
  }
}

const unreachable = new ApiError(0, [
  {
    message: both('The server of this page does not answer.', '页面的服务没有响应。'),
    hint: both(
      'Is `dyno ui` still running? Runs that were started go on by themselves.',
      '`dyno ui` 是否仍在运行？已启动的运行会自行继续。',
    ),
  },
]);

/** The address of something of the API. */
export function api(path: string): string {
  return `./api/v1${path}`;
}

/** Asks the server; throws ApiError. */
export async function call(path: string, options: RequestInit = {}): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(api(path), { ...options, headers: { ...options.headers, 'x-llmdyno': '1' } });
  } catch (error) {
    if (options.signal?.aborted === true) throw error;
    throw unreachable;
  }
  if (response.ok) return response;
  const refusal = (await response.json().catch(() => null)) as Refusal | null;
  throw new ApiError(
    response.status,
    refusal?.mistakes ?? [
      {
        message: both(`The server answered ${response.status}.`, `服务返回 ${response.status}。`),
        hint:
          response.status === 401
            ? both(
                'Open the address that `dyno ui` printed: it carries the token.',
                '请打开 `dyno ui` 打印的网址，其中含令牌。',
              )
            : both('Try again; the terminal of `dyno ui` may say more.', '请重试；`dyno ui` 的终端可能有更多信息。'),
      },
    ],
  );
}

/** Asks for JSON. */
export async function ask<T>(path: string, options: RequestInit = {}): Promise<T> {
  return (await (await call(path, options)).json()) as T;
}

/** Sends JSON. */
export function tell<T>(path: string, body: unknown, method = 'POST'): Promise<T> {
  return ask<T>(path, {
    method,
    ...(method !== 'DELETE' && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
}

/** Something that is being loaded, is there, or cannot be had. Old data stay while new ones are on their way. */
export interface Loaded<T> {
  data: T | null;
  trouble: ApiError | null;
  again(): void;
}

/** Loads something, again when `key` changes, and every so often where told; a null key loads nothing. */
export function useLoaded<T>(key: string | null, load: (signal: AbortSignal) => Promise<T>, everyMs = 0): Loaded<T> {
  const [state, setState] = useState<{ key: string | null; data: T | null; trouble: ApiError | null }>({
    key: null,
    data: null,
    trouble: null,
  });
  const [round, setRound] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    if (key === null) return;
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const once = async (): Promise<void> => {
      try {
        const data = document.hidden && round > 0 ? undefined : await latest.current(stop.signal);
        if (stop.signal.aborted) return;
        if (data !== undefined) setState({ key, data, trouble: null });
      } catch (error) {
        if (stop.signal.aborted) return;
        const trouble = error instanceof ApiError ? error : asTrouble(error);
        setState((old) => ({ key, data: old.key === key ? old.data : null, trouble }));
      }
      if (everyMs > 0) timer = setTimeout(() => void once(), everyMs);
    };
    void once();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [key, everyMs, round]);
  const current = state.key === key;
  return {
    data: current ? state.data : null,
    trouble: current ? state.trouble : null,
    again: () => setRound((n) => n + 1),
  };
}

function asTrouble(error: unknown): ApiError {
  const words = error instanceof Error ? error.message : String(error);
  return new ApiError(0, [
    {
      message: both(`Something went wrong: ${words}`, `出错了：${words}`),
      hint: both('Reload the page.', '请刷新页面。'),
    },
  ]);
}
