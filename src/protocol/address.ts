import { apiNames, UserError } from '../core/index.ts';
import type { ApiName } from '../core/index.ts';
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
export function readAddress(typed: string, api: ApiName | null): Address {
  const url = parse(typed);
  if (url.username !== '' || url.password !== '') throw secretInUrl(typed);
  const guessed = api ?? apiNames.find((name) => url.pathname.endsWith(tail(name))) ?? 'openai-chat';
  const path = url.pathname.replace(/\/+$/, '');
  // A full path is left as it is: gateways put prefixes and other names in front of the wire's own path.
  const bare = path === '' || /\/v\d+$/.test(path);
  if (bare) url.pathname = path.replace(/\/v\d+$/, '') + protocols[guessed].path;
  return { url: url.href, api: guessed, origin: url.origin };
}

function tail(name: ApiName): string {
  return protocols[name].path.replace(/^\/v1/, '');
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
  return new UserError({
    code: 'bad-url',
    message: { en: `"${typed}" is not an http(s) address`, zh: `"${typed}" 不是有效的 http(s) 地址` },
    hint: {
      en: 'Give something like http://127.0.0.1:8000/v1/chat/completions; a bare host:port is completed.',
      zh: '请给出类似 http://127.0.0.1:8000/v1/chat/completions 的地址；只写 host:port 会自动补全。',
    },
  });
}

function secretInUrl(typed: string): UserError {
  return new UserError({
    code: 'secret-in-url',
    message: {
      en: `the address of ${parse(typed).host} carries a user name or password, which would end up in process lists and files`,
      zh: `${parse(typed).host} 的地址中带有用户名或密码，会泄漏到进程列表和文件中`,
    },
    hint: {
      en: "Put the key into an environment variable and name it: --key-env MY_KEY, or --header 'Authorization: env:MY_AUTH'.",
      zh: "请把密钥放入环境变量并指明其名称：--key-env MY_KEY，或 --header 'Authorization: env:MY_AUTH'。",
    },
  });
}
