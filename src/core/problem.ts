import type { Phrase } from './phrase.ts';

/**
 * Every way a request can end other than ok. Closed: a new cause is a new line here, with its words,
 * and shows up in counts.byProblem, the reports and docs/reference/problems.md.
 */
export const problems = {
  dns: { en: 'host name not found', zh: '域名解析失败' },
  'connect-refused': { en: 'connection refused', zh: '连接被拒绝' },
  'connect-timeout': { en: 'no connection within the connect timeout', zh: '连接超时' },
  'connect-failed': { en: 'connection could not be made', zh: '无法建立连接' },
  'client-resources': {
    en: 'this client ran out of ports or file handles',
    zh: '客户端端口或文件句柄耗尽',
  },
  tls: { en: 'TLS handshake failed', zh: 'TLS 握手失败' },
  'http-redirect': { en: 'server answered with a redirect', zh: '服务器返回重定向' },
  'http-4xx': { en: 'server refused the request (4xx)', zh: '服务器拒绝请求 (4xx)' },
  'http-429': { en: 'server said too many requests (429)', zh: '服务器限流 (429)' },
  'http-5xx': { en: 'server error (5xx)', zh: '服务器错误 (5xx)' },
  'timeout-ttft': { en: 'no output within the first-token timeout', zh: '首 token 超时' },
  'timeout-read': { en: 'silence longer than the read timeout', zh: '读取超时' },
  'timeout-total': { en: 'not finished within the total timeout', zh: '请求总超时' },
  'stream-refused': { en: 'server refused the HTTP/2 stream', zh: '服务器拒绝 HTTP/2 流' },
  reset: { en: 'connection reset by the server', zh: '连接被服务器重置' },
  'truncated-stream': { en: 'answer ended before it was complete', zh: '响应未完整结束' },
  'malformed-http': { en: 'not a valid HTTP answer', zh: 'HTTP 响应格式错误' },
  'malformed-stream': { en: 'answer could not be understood', zh: '响应内容无法解析' },
  'answer-too-large': { en: 'answer is larger than this client can hold', zh: '响应过大，客户端无法容纳' },
  'not-an-api': { en: 'answer is a web page or another kind of document', zh: '返回的不是 API 响应' },
  'in-stream-error': { en: 'server reported an error inside the answer', zh: '响应流中返回错误' },
  'empty-answer': { en: 'answer held no output', zh: '响应为空' },
  cancelled: { en: 'cancelled by the user or a stop rule', zh: '被用户或停止规则取消' },
  'not-sent': { en: 'never sent: the run was stopped before its turn', zh: '未发送：运行提前结束' },
  'turn-lost': {
    en: 'never asked: an earlier turn of its conversation did not end well',
    zh: '未发送：同一对话中先前的轮次未成功',
  },
  'lost-with-worker': {
    en: 'lost with the machine that was to send it: what became of it is not known',
    zh: '随发送它的机器一起丢失：结果未知',
  },
  'lost-with-redis': {
    en: 'lost with the job server (Redis): what became of it is not known',
    zh: '随任务服务器（Redis）一起丢失：结果未知',
  },
  'dropped-late': { en: 'dropped: due while all slots were taken', zh: '丢弃：到期时无空闲并发' },
} as const satisfies Record<string, Phrase>;

/** The name of one cause. */
export type ProblemCode = keyof typeof problems;

/** Why one request did not end ok. */
export interface Problem {
  code: ProblemCode;
  /** HTTP status, where one was received. */
  status: number | null;
  /** The first bytes of what the server or the system said, made printable. */
  words: string | null;
  /** How long the server asked to wait (Retry-After); absent = it did not. */
  retryAfterMs?: number;
}

/** How much of the server's words is kept with a problem, in characters. */
export const keptWordsChars = 300;

/** A problem with the server's words cut to keptWordsChars and stripped of control characters. */
export function problem(code: ProblemCode, words: string | null = null, status: number | null = null): Problem {
  return { code, status, words: words === null ? null : printable(words).slice(0, keptWordsChars) };
}

/** Text of a stranger made safe for one line of a terminal. */
export function printable(text: string): string {
  return printableLine(text).trim();
}

/** The same for a whole line, whose blanks at either end mean something. */
export function printableLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]+/gu, ' ');
}
