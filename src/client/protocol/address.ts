import { userError, UserError } from '../../core/index.ts';
import type { ApiName } from '../../core/index.ts';
import { protocols } from './protocols.ts';

/** A target as people type it, made whole. */
export interface Address {
  /** Where asks go. */
  url: string;
  api: ApiName;
  /** Scheme, host and port. */
  origin: string;
}

/**
 * The address behind what was typed: `localhost:8000`, `http://host`, `http://host/v1`, or a full path.
 * The wire is guessed from the path unless it is given.
 */
export function readAddress(typed: string, api: ApiName | null, ownPath: string | null = null): Address {
  const url = parse(typed);
  if (url.username !== '' || url.password !== '')
    throw userError(
      'secret-in-url',
      `the address of ${parse(typed).host} carries a user name or password, which would end up in process lists and files`,
      `${parse(typed).host} 的地址中带有用户名或密码，会泄漏到进程列表和文件中`,
      "Put the key into an environment variable and name it: --key-env MY_KEY, or --header 'Authorization: env:MY_AUTH'.",
      "请把密钥放入环境变量并指明其名称：--key-env MY_KEY，或 --header 'Authorization: env:MY_AUTH'。",
    );
  const guessed = api ?? guessWire(url.pathname) ?? 'openai-chat';
  const path = url.pathname.replace(/\/+$/, '');
  // A full path is left as it is: gateways put prefixes and other names in front of the wire's own path.
  const bare = path === '' || /\/v\d+$/.test(path);
  if (bare) url.pathname = path.replace(/\/v\d+$/, '') + (ownPath ?? protocols[guessed].path);
  return { url: url.href, api: guessed, origin: url.origin };
}

/** Where asks of this model go, streamed or not: fills what only the plan knows into an address that was completed. */
export function addressFor(address: Address, model: string, stream: boolean): Address {
  const { path, wholePath } = protocols[address.api];
  const url = new URL(address.url);
  if (!stream && wholePath !== undefined && url.pathname === new URL(path, url.origin).pathname)
    url.pathname = wholePath;
  url.pathname = url.pathname.replace('%7Bmodel%7D', () => encodeURIComponent(model));
  return { ...address, url: url.href };
}

/** An API key under the header that the server wants it in: `x-api-key` (Anthropic), `api-key` (Azure), else as a bearer. */
export function keyAsAsked(
  address: Address,
  secrets: Readonly<Record<string, string>>,
  fromKeyEnv: boolean,
): Record<string, string> {
  const azure = /\/openai\/deployments\//.test(new URL(address.url).pathname);
  const header = azure ? 'api-key' : protocols[address.api].keyHeader;
  const { authorization, ...rest } = secrets;
  if (!fromKeyEnv || header === undefined || authorization === undefined) return { ...secrets };
  return { ...rest, [header]: authorization.replace(/^Bearer /, '') };
}

/** Ends of paths that tell the wire, the longer ones first where one holds the other. */
const pathEnds: readonly (readonly [RegExp, ApiName])[] = [
  [/\/chat\/completions$/, 'openai-chat'],
  [/\/completions$/, 'openai-completions'],
  [/\/v1\/responses$/, 'responses'],
  [/\/embeddings$/, 'embeddings'],
  [/\/rerank(s|ing)?$/, 'rerank'],
  [/\/v2\/models\/[^/]+\/generate(_stream)?$/, 'triton'],
  [/\/infer$/, 'mindie'],
  [/\/generate_stream$/, 'tgi'],
  [/\/api\/(chat|generate)$/, 'ollama'],
  [/\/generate$/, 'vllm-generate'],
  [/\/v1\/messages$/, 'anthropic'],
  [/\/text-generation\/generation$/, 'dashscope'],
];

function guessWire(pathname: string): ApiName | null {
  return pathEnds.find(([end]) => end.test(pathname.replace(/\/+$/, '')))?.[1] ?? null;
}

function parse(typed: string): URL {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(typed) ? typed : `http://${typed}`;
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw notAnAddress(typed);
  }
  if ((url.protocol !== 'http:' && url.protocol !== 'https:') || url.hostname === '') throw notAnAddress(typed);
  return url;
}

function notAnAddress(typed: string): UserError {
  return userError(
    'bad-url',
    `"${typed}" is not an http(s) address`,
    `"${typed}" 不是有效的 http(s) 地址`,
    'Give something like http://127.0.0.1:8000/v1/chat/completions; a bare host:port is completed.',
    '请给出类似 http://127.0.0.1:8000/v1/chat/completions 的地址；只写 host:port 会自动补全。',
  );
}
