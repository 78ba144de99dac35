import { httpAddress, oneOf, someText } from './readers.ts';
import { flag, many, one } from './setting.ts';
import type { Setting } from './setting.ts';

/** How a server is reached beyond its address: certificates, a proxy, further servers. They are part of planSettings. */
export const reachSettings = {
  ca: one('ca FILE', someText, "authority that signed the server's certificate, PEM", '签发服务器证书的 CA（PEM）'),
  cert: one('cert FILE', someText, 'client certificate, PEM; with --cert-key', '客户端证书（PEM），与 --cert-key 同用'),
  certKey: one('cert-key FILE', someText, 'key of --cert, PEM', '--cert 的私钥（PEM）'),
  wire: one(
    'wire FILE',
    someText,
    'YAML description of a wire of your own: template of the body, places of text and usage (implies --api custom)',
    '自定义接口的 YAML 描述：请求体模板、文本与用量的位置（即 --api custom）',
  ),
  proxy: one(
    'proxy URL',
    (text) => (text.trim() === 'none' ? 'none' : httpAddress(text)),
    'HTTP proxy, for https by CONNECT (default: HTTPS_PROXY or HTTP_PROXY, with NO_PROXY; `none` = no proxy); name and password only in the variable',
    'HTTP 代理，https 使用 CONNECT（默认取 HTTPS_PROXY / HTTP_PROXY，遵守 NO_PROXY；none 表示不用代理）；用户名和密码只能放在环境变量中',
  ),
  http2: flag(
    'http2',
    'speak HTTP/2: many requests on one connection; https by ALPN, http by prior knowledge',
    '使用 HTTP/2：一个连接承载多个请求；https 用 ALPN，http 直接使用 h2c',
  ),
  spread: one(
    'spread turn|session',
    oneOf(['turn', 'session']),
    'with --also-at: every request to the next server (turn, default), or each conversation always to the same (session)',
    '与 --also-at 同用：请求轮流发往各服务器（turn，默认），或同一会话固定发往同一服务器（session）',
  ),
  alsoAt: many(
    'also-at URL',
    httpAddress,
    'a further server that does the same work, asked in turn; repeatable',
    '另一个提供相同服务的地址，轮流请求；可重复',
  ),
} as const satisfies Record<string, Setting<unknown>>;
