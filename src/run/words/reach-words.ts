import { httpAddress, someText } from './readers.ts';
import { many, one } from './word.ts';
import type { Word } from './word.ts';

/** How a server is reached beyond its address: certificates, a proxy, further servers. They are part of planWords. */
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
      help: { en: 'HTTP proxy for http:// servers', zh: '访问 http:// 服务器的 HTTP 代理' },
    },
    httpAddress,
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
} as const satisfies Record<string, Word<unknown>>;
