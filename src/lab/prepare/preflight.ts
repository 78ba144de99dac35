import { exitCodes, printable, UserError } from '../../core/index.ts';
import type { Generation, Phrase, Problem, ProblemCode, Target } from '../../core/index.ts';
import { problem, problems } from '../../core/index.ts';
import { fetchOnce, tlsCauseOf } from '../../client/load/index.ts';
import type { Fetched, Secrets } from '../../client/load/index.ts';
import { protocolFor, refusalWords } from '../../client/protocol/index.ts';
import type { Spoken } from '../../client/protocol/index.ts';
import type { Address } from '../../client/protocol/index.ts';
import { plainPrompt } from '../../inputs/workload/index.ts';

/** What stays wrong however often one asks again: the address, the key, the model, the kind of server. */
export const lasting: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  'dns',
  'connect-refused',
  'connect-timeout',
  'connect-failed',
  'tls',
  'http-redirect',
  'http-4xx',
  'malformed-http',
  'not-an-api',
]);
const tries = 3;

/** A server before its model is known. */
export type Server = Omit<Target, 'model'> & Spoken;

/**
 * Asks one short question before the load. What can never work ends here with a clear word; what may pass
 * (a busy server, a dropped connection) is tried again and then given back as a remark, and the run goes on. Also says
 * what the server calls itself.
 */
export async function preflight(
  address: Address,
  target: Target & Spoken,
  generation: Generation,
  secrets: Secrets,
  timeoutMs: number,
): Promise<{ remark: Problem | null; server: string | null }> {
  const protocol = protocolFor(target);
  const ask = {
    seq: 0,
    prompt: plainPrompt('preflight', 'Hi'),
    generation: { ...generation, maxTokens: 1, minTokens: null, ignoreEos: false },
  };
  const { body } = protocol.encode(ask, target);
  let last: Problem | null = null;
  let server: string | null = null;
  for (let attempt = 0; attempt < tries; attempt++) {
    const fetched = await fetchOnce(target, { method: 'POST', url: target.url, body }, secrets, timeoutMs);
    last = judge(fetched, target, generation.stream);
    server = fetched.server === null ? server : printable(fetched.server).slice(0, 120);
    if (last === null) return { remark: null, server };
    // 501: it will not learn to be asked by the next time.
    if (lasting.has(last.code) || last.status === 501) throw unreachable(address, target, last);
  }
  return { remark: last, server };
}

function judge(fetched: Fetched, target: Spoken, stream: boolean): Problem | null {
  if (fetched.problem !== null) return fetched.problem;
  const { status, contentType, body } = fetched;
  if (status !== null && status >= 300) {
    const code =
      status >= 500 ? 'http-5xx' : status === 429 ? 'http-429' : status >= 400 ? 'http-4xx' : 'http-redirect';
    return problem(code, refusalWords(body), status);
  }
  if (/^text\/html\b/i.test(contentType)) return problem('not-an-api', body, status);
  const listener = protocolFor(target).listen({ stream, contentType });
  const heard = [...listener.hear(new TextEncoder().encode(body)), ...listener.close()];
  const found = heard.find((piece) => piece.kind === 'problem');
  return found === undefined ? null : problem(found.code, found.words, status);
}

export function unreachable(address: Address, server: Server, why: Problem): UserError {
  const status = why.status === null ? '' : ` (HTTP ${why.status})`;
  const said = saidBy(why);
  return new UserError(
    {
      code: why.code,
      message: {
        en: `${address.url}: ${problems[why.code].en}${status}${said.en}`,
        zh: `${address.url}：${problems[why.code].zh}${status}${said.zh}`,
      },
      hint: hintFor(why, address, server),
    },
    exitCodes.unreachable,
  );
}

/** What was said, cut to a line; the cause of a TLS problem is ours to say, and is said in both languages. */
export function saidBy(why: Problem): Phrase {
  const said = why.words === null ? '' : printable(why.words);
  if (said === '') return { en: '', zh: '' };
  const { en, zh } = tlsCauseOf(said).why;
  const inChinese = why.code === 'tls' && said.startsWith(en) ? `${zh}${said.slice(en.length)}` : said;
  return { en: `: ${said.slice(0, 200)}`, zh: `：${inChinese.slice(0, 200)}` };
}

function hintFor(why: Problem, address: Address, server: Server): Phrase {
  const { protocol, host, hostname, port } = new URL(address.url);
  const { name, path } = protocolFor(server);
  const usual = `${address.origin}${path}`;
  const proxy = server.reach?.proxy ?? null;
  if (proxy !== null && (why.code === 'dns' || why.code === 'connect-refused')) return proxyHint(proxy);
  switch (why.code) {
    case 'dns':
      return {
        en: `Check the spelling of "${hostname}", or use its IP address.`,
        zh: `请检查主机名 "${hostname}"，或改用 IP 地址。`,
      };
    case 'connect-refused':
      return {
        en: `Nothing listens on port ${port || 'the default port'}: is the server started, and is this its port? Try: curl ${address.origin}/v1/models`,
        zh: `端口 ${port || '（默认）'} 无服务监听：服务是否已启动，端口是否正确？可试：curl ${address.origin}/v1/models`,
      };
    case 'connect-timeout':
    case 'connect-failed':
      return {
        en: 'Check address, firewall and proxy; --connect-timeout waits longer.',
        zh: '请检查地址、防火墙和代理；--connect-timeout 可延长等待。',
      };
    case 'tls':
      return tlsCauseOf(why.words ?? '').hint;
    case 'malformed-http':
      return protocol === 'http:'
        ? {
            en: `Does the server speak https? Try https://${host}.`,
            zh: `服务器是否使用 https？可试 https://${host}。`,
          }
        : { en: 'Check the port: this is no HTTP server.', zh: '请检查端口：这不是 HTTP 服务。' };
    case 'http-4xx':
      if (why.status === 401 || why.status === 403) {
        return {
          en: 'Put the API key into an environment variable and name it with --key-env.',
          zh: '请把 API 密钥放入环境变量，并用 --key-env 指定。',
        };
      }
      if (why.status === 404 || why.status === 405) {
        return {
          en: `Check the path and the model name: --api ${name} is usually at ${usual}, and models are listed at ${address.origin}/v1/models; a whole address, with its path, is asked as it is.`,
          zh: `请检查路径和模型名称：--api ${name} 的地址通常为 ${usual}，模型列表在 ${address.origin}/v1/models；带路径的完整地址将原样使用。`,
        };
      }
      return {
        en: "Read the server's words above; --model, --api, --max-tokens and --body change what is asked.",
        zh: '请看上面服务器的回复；--model、--api、--max-tokens、--body 可改变请求内容。',
      };
    default:
      return {
        en: `This does not look like a server for --api ${name}; try ${usual}.`,
        zh: `该地址不像 --api ${name} 的服务；可试 ${usual}。`,
      };
  }
}

/** What could not be reached is the proxy: through it nobody else is asked for a connection or a name. */
function proxyHint(proxy: string): Phrase {
  const { host } = new URL(proxy);
  return {
    en: `The proxy ${host} does not answer: check --proxy and the variables HTTP_PROXY and HTTPS_PROXY; --proxy none goes without.`,
    zh: `代理 ${host} 无法连接：请检查 --proxy 以及环境变量 HTTP_PROXY、HTTPS_PROXY；--proxy none 表示不用代理。`,
  };
}
