import { printable } from '../../core/index.ts';
import type { Phrase, Target } from '../../core/index.ts';
import { protocols } from '../../client/protocol/index.ts';
import type { Address, ParsedEvent } from '../../client/protocol/index.ts';
import { makeAsker } from './ask-engine.ts';
import type { EngineAnswer, EngineAsker } from './ask-engine.ts';
import { checkOf } from './check.ts';
import type { Check } from './check.ts';

const timeoutMs = 60_000;

/** Looks at an engine with four short questions: what it lists, tells, honours and keeps. Nothing is stored or changed. */
export async function engineChecks(
  address: Address,
  options: { model: string | null; headers: Readonly<Record<string, string>> },
): Promise<Check[]> {
  const tell = checkOf('engine', 'reachable');
  const asker = makeAsker(options.headers);
  try {
    const url = new URL(address.url);
    const prefix = /^(.*\/v\d+)\//.exec(url.pathname)?.[1] ?? '/v1';
    const list = await asker.ask('GET', `${url.origin}${prefix}/models`, null, 10_000);
    if (list.failure !== null) return [tell('bad', failed(list), startIt(address))];
    const { models, first } = modelsOf(list, options.model);
    const again = await asker.ask('GET', `${url.origin}${prefix}/models`, null, 10_000);
    const found = [
      tell('ok', `${url.origin}: HTTP ${list.status}`),
      models,
      skewCheck(list),
      keepAliveCheck(again),
      tlsCheck(list, url),
    ];
    const model = options.model ?? first;
    if (model === null) return found;
    return [...found, ...(await answerChecks(asker, address, model))];
  } finally {
    asker.close();
  }
}

function failed(answer: EngineAnswer): string {
  const words = answer.failure ?? `HTTP ${answer.status}: ${answer.body}`;
  return printable(words).slice(0, 200);
}

function startIt(address: Address): Phrase {
  return {
    en: `is the server started, and is this its port? Try: curl ${address.origin}/v1/models`,
    zh: `服务是否已启动，端口是否正确？可试：curl ${address.origin}/v1/models`,
  };
}

function modelsOf(list: EngineAnswer, wanted: string | null): { models: Check; first: string | null } {
  const tell = checkOf('engine', 'model-listed');
  let ids: string[] = [];
  try {
    const { data } = JSON.parse(list.body) as { data?: { id?: unknown }[] };
    ids = (data ?? []).map(({ id }) => id).filter((id) => typeof id === 'string');
  } catch {
    // Said below.
  }
  const shown = printable(ids.slice(0, 5).join(', ')).slice(0, 200);
  const fix = { en: 'name the model with --model', zh: '请用 --model 指定模型' };
  if (ids.length === 0) {
    const seen = { en: `lists no models (HTTP ${list.status})`, zh: `未列出模型（HTTP ${list.status}）` };
    return { models: tell(wanted === null ? 'bad' : 'unknown', seen, fix), first: null };
  }
  if (wanted !== null && !ids.includes(wanted)) {
    const seen = {
      en: `"${printable(wanted)}" is not among: ${shown}`,
      zh: `"${printable(wanted)}" 不在列表中：${shown}`,
    };
    return { models: tell('bad', seen, fix), first: null };
  }
  return { models: tell('ok', shown), first: ids[0]! };
}

function skewCheck(answer: EngineAnswer): Check {
  const tell = checkOf('engine', 'clock-skew');
  const said = Date.parse(String(answer.headers['date'] ?? ''));
  if (Number.isNaN(said) || answer.headAtMs === null) {
    return tell('unknown', {
      en: 'the server sends no Date header',
      zh: '服务器没有发送 Date 头',
    });
  }
  // The header counts whole seconds: the true time lies within the second that follows.
  const skewSec = (said + 500 - answer.headAtMs) / 1000;
  const seen = {
    en: `server clock ${skewSec >= 0 ? '+' : ''}${skewSec.toFixed(1)} s (±0.5 s)`,
    zh: `服务器时钟偏差 ${skewSec.toFixed(1)} s（±0.5 s）`,
  };
  if (Math.abs(skewSec) < 2) return tell('ok', seen);
  return tell('warn', seen, {
    en: 'run chrony or ntpd on both hosts; dyno’s own figures use one clock and are not touched, server logs are',
    zh: '请在两端启用 chrony 或 ntpd；dyno 自身数据只用一个时钟，不受影响，但服务器日志会',
  });
}

function keepAliveCheck(again: EngineAnswer): Check {
  const tell = checkOf('engine', 'keep-alive');
  if (again.failure !== null) return tell('unknown', failed(again));
  if (again.reused) return tell('ok', { en: 'the connection was used again', zh: '连接被复用' });
  return tell(
    'warn',
    { en: 'every request needs a connection of its own', zh: '每个请求都新建连接' },
    {
      en: 'check proxies and the server’s keep-alive timeout; connecting counts as latency and uses up ports',
      zh: '请检查代理和服务器的 keep-alive 设置；建连计入时延并消耗端口',
    },
  );
}

function tlsCheck(answer: EngineAnswer, url: URL): Check {
  const tell = checkOf('engine', 'tls');
  if (answer.tls === null) {
    const local = /^(?:localhost|127\.|\[::1\])/.test(url.hostname);
    return tell(
      'ok',
      local
        ? { en: 'plain HTTP on this host', zh: '本机明文 HTTP' }
        : { en: 'plain HTTP: prompts and keys travel readable', zh: '明文 HTTP：提示词和密钥可被读取' },
    );
  }
  const { authorized, why, validTo, protocol } = answer.tls;
  const days = validTo === null ? null : Math.floor((Date.parse(validTo) - Date.now()) / 86_400_000);
  const seen = `${protocol ?? 'TLS'}, ${authorized ? 'trusted' : why}, ${days === null ? '?' : days} d`;
  if (!authorized) {
    return tell('warn', printable(seen), {
      en: 'dyno needs --insecure for this certificate; or give Node the CA with NODE_EXTRA_CA_CERTS',
      zh: '该证书需要 --insecure；或用 NODE_EXTRA_CA_CERTS 提供 CA',
    });
  }
  if (days !== null && days < 14) return tell('warn', seen, { en: 'renew the certificate', zh: '请更新证书' });
  return tell('ok', seen);
}

const longText = 'Count the words of this sentence and say nothing else. '.repeat(40);

async function answerChecks(asker: EngineAsker, address: Address, model: string): Promise<Check[]> {
  const ask = async (
    text: string,
    maxTokens: number,
    ignoreEos: boolean,
  ): Promise<{ heard: ParsedEvent[]; answer: EngineAnswer }> => {
    const protocol = protocols[address.api];
    const target = {
      url: address.url,
      api: address.api,
      model,
      headers: {},
      keyEnv: null,
      insecure: true,
    } as unknown as Target;
    const call = protocol.encode(
      {
        seq: 0,
        prompt: {
          id: 'doctor',
          messages: [{ role: 'user', content: text }],
          text: null,
          inputTokens: null,
          maxTokens: null,
          labels: {},
        },
        generation: { stream: true, maxTokens, minTokens: null, temperature: null, ignoreEos, stop: [], body: {} },
      },
      target,
    );
    const body: unknown = call.body;
    const answer = await asker.ask(
      'POST',
      address.url,
      typeof body === 'string' ? body : Buffer.from(body as Uint8Array).toString(),
      timeoutMs,
    );
    const contentType = String(answer.headers['content-type'] ?? '');
    if (answer.failure !== null || answer.status !== 200) return { heard: [], answer };
    const listener = protocol.listen({ stream: true, contentType });
    return { heard: [...listener.hear(new TextEncoder().encode(answer.body)), ...listener.close()], answer };
  };
  const plain = await ask(longText, 8, false);
  const repeated = await ask(longText, 8, false);
  const endless = await ask('Say ok.', 48, true);
  return [usageCheck(plain), ignoreEosCheck(endless), cachedCheck(repeated)];
}

function usageOf(heard: readonly ParsedEvent[]): Extract<ParsedEvent, { kind: 'usage' }> | undefined {
  return heard.findLast((piece) => piece.kind === 'usage');
}

function usageCheck({ heard, answer }: { heard: ParsedEvent[]; answer: EngineAnswer }): Check {
  const tell = checkOf('engine', 'usage-in-stream');
  if (heard.length === 0)
    return tell('bad', failed(answer), {
      en: 'the test request failed; see the server’s log',
      zh: '试探请求失败，请查看服务器日志',
    });
  const usage = usageOf(heard);
  if (usage?.output != null) {
    return tell('ok', {
      en: `told ${usage.input ?? '?'} input and ${usage.output} output tokens`,
      zh: `返回了 ${usage.input ?? '?'} 个输入、${usage.output} 个输出 token`,
    });
  }
  return tell(
    'warn',
    { en: 'the stream tells no token counts', zh: '流中没有 token 计数' },
    {
      en: 'newer servers take stream_options.include_usage; else token figures rest on a tokenizer of the client',
      zh: '新版服务支持 stream_options.include_usage；否则 token 数需由客户端分词器统计',
    },
  );
}

function ignoreEosCheck({ heard, answer }: { heard: ParsedEvent[]; answer: EngineAnswer }): Check {
  const tell = checkOf('engine', 'ignore-eos');
  if (heard.length === 0) return tell('unknown', failed(answer));
  const output = usageOf(heard)?.output ?? null;
  if (output === null)
    return tell('unknown', {
      en: 'cannot be told without token counts',
      zh: '没有 token 计数，无法判断',
    });
  const seen = {
    en: `asked for 48 tokens with ignore_eos, got ${output}`,
    zh: `ignore_eos 请求 48 个 token，得到 ${output}`,
  };
  if (output === 48) return tell('ok', seen);
  return tell('warn', seen, {
    en: 'fixed output lengths cannot be had from this server: compare runs by tokens, not by requests',
    zh: '该服务无法固定输出长度：请按 token 而非请求数比较',
  });
}

function cachedCheck({ heard, answer }: { heard: ParsedEvent[]; answer: EngineAnswer }): Check {
  const tell = checkOf('engine', 'cached-tokens');
  if (heard.length === 0) return tell('unknown', failed(answer));
  const cached = usageOf(heard)?.cached ?? null;
  if (cached !== null)
    return tell('ok', {
      en: `${cached} of the repeated prompt’s tokens came from the cache`,
      zh: `重复提示词中 ${cached} 个 token 来自缓存`,
    });
  return tell(
    'warn',
    { en: 'the server does not tell cached tokens', zh: '服务器不返回缓存 token 数' },
    {
      en: 'vLLM: --enable-prompt-tokens-details, SGLang: --enable-cache-report; else repeated prompts look faster than they are, unnoticed',
      zh: 'vLLM：--enable-prompt-tokens-details，SGLang：--enable-cache-report；否则重复提示词的加速无法察觉',
    },
  );
}
