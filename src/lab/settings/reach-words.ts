import { httpAddress, oneOf, someText } from './readers.ts';
import { flag, many, one } from './setting.ts';
import type { Setting } from './setting.ts';

/** How a server is reached beyond its address: certificates, a proxy, further servers. They are part of planSettings. */
export const reachWords = {
  ca: one(
    {
      name: 'ca',
      value: 'FILE',
      help: { en: "authority that signed the server's certificate, PEM", zh: '签发服务器证书的 CA（PEM）' },
    },
    someText,
  ),
  cert: one(
    {
      name: 'cert',
      value: 'FILE',
      help: { en: 'client certificate, PEM; with --cert-key', zh: '客户端证书（PEM），与 --cert-key 同用' },
    },
    someText,
  ),
  certKey: one(
    { name: 'cert-key', value: 'FILE', help: { en: 'key of --cert, PEM', zh: '--cert 的私钥（PEM）' } },
    someText,
  ),
  wire: one(
    {
      name: 'wire',
      value: 'FILE',
      help: {
        en: 'YAML description of a wire of your own: template of the body, places of text and usage (implies --api custom)',
        zh: '自定义接口的 YAML 描述：请求体模板、文本与用量的位置（即 --api custom）',
      },
    },
    someText,
  ),
  proxy: one(
    {
      name: 'proxy',
      value: 'URL',
      help: {
        en: 'HTTP proxy, for https by CONNECT (default: HTTPS_PROXY or HTTP_PROXY, with NO_PROXY; `none` = no proxy); name and password only in the variable',
        zh: 'HTTP 代理，https 使用 CONNECT（默认取 HTTPS_PROXY / HTTP_PROXY，遵守 NO_PROXY；none 表示不用代理）；用户名和密码只能放在环境变量中',
      },
    },
    (text) => (text.trim() === 'none' ? 'none' : httpAddress(text)),
  ),
  http2: flag({
    name: 'http2',
    help: {
      en: 'speak HTTP/2: many requests on one connection; https by ALPN, http by prior knowledge',
      zh: '使用 HTTP/2：一个连接承载多个请求；https 用 ALPN，http 直接使用 h2c',
    },
  }),
  spread: one(
    {
      name: 'spread',
      value: 'turn|session',
      help: {
        en: 'with --also-at: every request to the next server (turn, default), or each conversation always to the same (session)',
        zh: '与 --also-at 同用：请求轮流发往各服务器（turn，默认），或同一会话固定发往同一服务器（session）',
      },
    },
    oneOf(['turn', 'session'] as const),
  ),
  alsoAt: many(
    {
      name: 'also-at',
      value: 'URL',
      help: {
        en: 'a further server that does the same work, asked in turn; repeatable',
        zh: '另一个提供相同服务的地址，轮流请求；可重复',
      },
    },
    'repeat',
    httpAddress,
  ),
} as const satisfies Record<string, Setting<unknown>>;
