import type { IncomingMessage, ServerResponse } from 'node:http';
import { simulatedServer } from '../../core/index.ts';
import { EngineCore, estimateTokens, promptKeys, starvedProfile, tokenKeys } from '../sim/index.ts';
import type { Emission, PromptKeys, Step } from '../sim/index.ts';
import { Answer } from './answer.ts';
import type { FaultName, InjectedFault } from './fault.ts';
import { faultDice, faultNames } from './fault.ts';
import { EngineMetrics } from './engine-metrics.ts';
import { metricsPage } from './metrics-page.ts';
import { planAnswer } from './planned-answer.ts';
import type { AnswerSettings, PlannedAnswer } from './planned-answer.ts';
import type { Call } from './read-call.ts';
import { readCall } from './read-call.ts';
import type { Refusal } from './refusal.ts';
import { badRequest, refusalBody } from './refusal.ts';
import type { Quirks } from './foreign-wire.ts';
import type { EngineOptions, EngineStats } from './start-engine.ts';
import { StepPacer } from './step-pacer.ts';
import { managementPage, mindieMetrics, settingsPage } from './mindie-pages.ts';
import type { MindieState } from './mindie-pages.ts';
import { routeOf } from './routes.ts';
import { wireOf } from './foreign-wire.ts';

/** The largest body that is read. */
const maxBodyBytes = 16 * 2 ** 20;

const refusedByFault: Partial<Record<FaultName, Refusal>> = {
  429: {
    status: 429,
    type: 'RateLimitError',
    message: 'simulated: too many requests',
    param: null,
    headers: { 'retry-after': '1' },
  },
  500: { status: 500, type: 'InternalServerError', message: 'simulated: internal server error', param: null },
  503: { status: 503, type: 'ServiceUnavailableError', message: 'simulated: service unavailable', param: null },
};

const htmlPage = '<!DOCTYPE html>\n<html><head><title>Welcome</title></head><body><h1>It works!</h1></body></html>\n';

/** Which of its ports a request came in on. */
export type PortName = 'main' | 'management' | 'metrics';

/** A request that is to be answered. */
interface Taken {
  id: number;
  req: IncomingMessage;
  res: ServerResponse;
  call: Call;
  fault: InjectedFault | null;
}

/** Everything behind the socket: routes, the engine core and its pacer, the answers under way. */
export class EngineServer {
  readonly #models: readonly string[];
  /** Of everything random. */
  readonly #seed: number;
  readonly #core: EngineCore;
  readonly #pacer: StepPacer;
  readonly #meters = new EngineMetrics();
  /** By the core's numbers: each choice of an answer is a sequence of its own. */
  readonly #answers = new Map<number, { answer: Answer; choice: number }>();
  readonly #roll: () => InjectedFault | null;
  readonly #byFault = Object.fromEntries(faultNames.map((name) => [name, 0])) as Record<FaultName, number>;
  readonly #startedSec = Math.floor(Date.now() / 1000);
  readonly #quirks: Quirks;
  /** Since when each request waits for its next step, simulated time. */
  readonly #waiting = new Map<number, number>();
  #requests = 0;
  #sequences = 0;

  constructor(private readonly options: EngineOptions) {
    this.#models = options.models ?? [options.profile.model];
    this.#seed = options.seed ?? 1;
    const injectedFaults = options.simFaults ?? [];
    this.#core = new EngineCore({
      profile: starvedProfile(options.profile, injectedFaults),
      seed: this.#seed,
      cold: injectedFaults.some((fault) => fault.name === 'cold-start'),
    });
    this.#pacer = new StepPacer(this.#core, options.speed ?? 1, (emissions, step) => {
      for (const emission of emissions) this.#tell(emission, step, emissions.length);
    });
    const quirks = new Set(options.quirks ?? []);
    this.#quirks = {
      nulPadding: quirks.has('nul-padding'),
      bare: quirks.has('bare'),
      fullText: quirks.has('full-text'),
      stepFacts: quirks.has('step-facts'),
      requestMetrics: quirks.has('request-metrics'),
    };
    this.#roll = faultDice(options.faults ?? [], this.#seed);
  }

  stats(): Omit<EngineStats, 'connections'> {
    return {
      requests: this.#requests,
      byFault: { ...this.#byFault },
      finished: { ...this.#meters.finished },
      worstLagMs: this.#pacer.worstLagMs,
      counters: this.#core.counters(),
    };
  }

  stop(): void {
    this.#pacer.stop();
  }

  /** `port` is where it came in: MindIE has its management and metrics on ports of their own. */
  handle(req: IncomingMessage, res: ServerResponse, port: PortName = 'main'): void {
    const path = (req.url ?? '/').split('?', 1)[0]!;
    res.setHeader('server', `${simulatedServer} (simulated)`);
    const kind = port === 'main' && !(path === '/' && req.method === 'GET') ? routeOf(path) : null;
    const page = kind === null ? this.#page(path, port) : null;
    if (kind === null && page === null) {
      refuse(req, res, {
        status: 404,
        type: 'NotFoundError',
        message: `no such path: ${path.slice(0, 200)}`,
        param: null,
      });
    } else if (req.method !== (page === null ? 'POST' : 'GET')) {
      const allow = page === null ? 'POST' : 'GET';
      const message = `only ${allow} is allowed here`;
      refuse(req, res, { status: 405, type: 'MethodNotAllowed', message, param: null, headers: { allow } });
    } else if (page !== null) send(res, 200, page.type, page.body());
    else this.#readBody(req, res, kind!);
  }

  #page(path: string, port: PortName): { type: string; body: () => string } | null {
    const apart = this.options.managementPort !== undefined;
    if (port === 'metrics') {
      if (path !== '/metrics') return null;
      return { type: 'text/plain; version=0.0.4; charset=utf-8', body: () => mindieMetrics(this.#mindieState()) };
    }
    const managed = port === 'management' || !apart ? managementPage(path, this.#mindieState()) : null;
    if (managed !== null) return { type: managed.type, body: () => managed.body };
    if (port === 'management') return null;
    const told = settingsPage(path, this.#mindieState());
    if (told !== null) return { type: told.type, body: () => told.body };
    const json = (value: unknown) => ({ type: 'application/json', body: () => JSON.stringify(value) });
    switch (path) {
      case '/health':
        return { type: 'text/plain', body: () => '' };
      case '/version':
        return json({ version: 'llmdyno-simulated', profile: this.options.profile.name });
      case '/v1/models': {
        const longest = this.#core.longestTokens;
        const most = longest === null ? {} : { max_model_len: longest };
        const entry = { object: 'model', created: this.#startedSec, owned_by: 'llmdyno', ...most };
        return json({ object: 'list', data: this.#models.map((id) => ({ id, ...entry })) });
      }
      case '/metrics':
        return {
          type: 'text/plain; version=0.0.4; charset=utf-8',
          body: () => metricsPage(this.#models[0]!, this.#core.counters(), this.#meters),
        };
      default:
        return null;
    }
  }

  #mindieState(): MindieState {
    return {
      models: this.#models,
      profile: this.options.profile,
      counters: this.#core.counters(),
      meters: this.#meters,
      requests: this.#requests,
      upSec: Date.now() / 1000 - this.#startedSec,
    };
  }

  #readBody(req: IncomingMessage, res: ServerResponse, kind: NonNullable<ReturnType<typeof routeOf>>): void {
    const parts: Buffer[] = [];
    let bytes = 0;
    let tooLarge = Number(req.headers['content-length'] ?? 0) > maxBodyBytes;
    const refuseSize = (): void => {
      const message = `the body is larger than ${maxBodyBytes} bytes`;
      refuse(req, res, { status: 413, type: 'BadRequestError', message, param: null });
    };
    if (tooLarge) {
      refuseSize();
      return;
    }
    req.on('data', (part: Buffer) => {
      bytes += part.length;
      if (tooLarge) return;
      tooLarge = bytes > maxBodyBytes;
      if (tooLarge) refuseSize();
      else parts.push(part);
    });
    req.on('end', () => {
      if (!tooLarge) this.#answer(req, res, readCall(kind, Buffer.concat(parts), this.#models));
    });
    req.on('error', () => {});
  }

  #answer(req: IncomingMessage, res: ServerResponse, call: Call | { refusal: Refusal }): void {
    if ('refusal' in call) {
      refuse(req, res, call.refusal);
      return;
    }
    const id = this.#requests++;
    const fault = this.#faultOf(id + 1) ?? this.#roll();
    if (fault !== null) this.#byFault[fault.name]++;
    const refusal = fault === null ? undefined : refusedByFault[fault.name];
    if (refusal !== undefined) refuse(req, res, refusal);
    else if (fault?.name === 'html') send(res, 200, 'text/html; charset=utf-8', htmlPage);
    else this.#generate({ id, req, res, call, fault });
  }

  /** The one request that is stuck, or that does not stop. */
  #faultOf(request: number): InjectedFault | null {
    const hit = (this.options.simFaults ?? []).find((fault) => fault.request === request);
    if (hit?.name === 'stuck-request') return { name: 'stall', roll: 0 };
    return hit?.name === 'runaway-generation' ? { name: 'runaway', roll: 0 } : null;
  }

  #generate({ id, req, res, call, fault }: Taken): void {
    const { profile, stamp = false, speed = 1, reasoningTokens = 0 } = this.options;
    const inputTokens = call.promptTokens ?? estimateTokens(call.text);
    const settings = { seed: this.#seed, reasoningTokens, runaway: fault?.name === 'runaway' };
    const choices: PlannedAnswer[] = [];
    for (let choice = 0; choice < call.choices; choice++) choices.push(this.#plan(call, settings, inputTokens, choice));
    // An answer with no tokens still needs its prefill step.
    const lengths = choices.map((planned) => (fault?.name === 'empty' ? 1 : planned.outputTokens));
    if (lengths.some((tokens) => !this.#core.fits(inputTokens, tokens))) {
      refuse(req, res, badRequest('prompt and answer together are longer than the KV cache', 'max_tokens'));
      return;
    }
    const name = `${call.kind === 'chat' ? 'chatcmpl' : 'cmpl'}-${id.toString(16).padStart(12, '0')}`;
    const createdSec = Math.floor(Date.now() / 1000);
    const sequences = lengths.map(() => this.#sequences++);
    const answer = new Answer({
      call,
      choices: choices.map((planned, choice) => ({
        planned,
        wire: wireOf(call, name, createdSec, this.#quirks, choice),
      })),
      inputTokens,
      res,
      fault,
      stamp,
      speed,
      meters: this.#meters,
      leave: () => {
        for (const sequence of sequences) {
          this.#answers.delete(sequence);
          this.#waiting.delete(sequence);
          this.#pacer.cancel(sequence);
        }
      },
    });
    const arrivalMs = this.#pacer.nowMs() + (profile.overheadMs ?? 0);
    for (const [choice, sequence] of sequences.entries()) {
      this.#answers.set(sequence, { answer, choice });
      this.#waiting.set(sequence, arrivalMs);
      const planned = choices[choice]!;
      const keys = this.#keysOf(call, planned, inputTokens);
      const outputTokens = lengths[choice]!;
      this.#pacer.submit({ id: sequence, inputTokens, outputTokens, prompt: planned.key, arrivalMs, ...keys });
    }
  }

  /** By what the prefix cache knows the prompt again, where there is one. */
  #keysOf(call: Call, planned: PlannedAnswer, inputTokens: number): { keys?: PromptKeys } {
    const { keyBlockSize } = this.#core;
    if (keyBlockSize === null) return {};
    if (call.promptIds !== undefined) return { keys: { prompt: tokenKeys(call.promptIds, keyBlockSize) } };
    return { keys: promptKeys(call.text, inputTokens, keyBlockSize, () => answerOf(planned)) };
  }

  /** A runaway that would never fit keeps to its limit. */
  #plan(call: Call, settings: AnswerSettings, inputTokens: number, choice: number): PlannedAnswer {
    const planned = planAnswer(call, settings, choice);
    if (!settings.runaway || this.#core.fits(inputTokens, planned.outputTokens)) return planned;
    return planAnswer(call, { ...settings, runaway: false }, choice);
  }

  #tell({ id, tokenIndex, finished, cachedTokens }: Emission, step: Step, batchSize: number): void {
    const waitedFromMs = this.#waiting.get(id) ?? step.startMs;
    if (finished) this.#waiting.delete(id);
    else this.#waiting.set(id, step.endMs);
    const queueWaitMs = Math.max(0, step.startMs - waitedFromMs);
    if (tokenIndex === 0) this.#meters.queueSec.add(queueWaitMs / 1000 / (this.options.speed ?? 1));
    const made = this.#answers.get(id);
    made?.answer.made(made.choice, tokenIndex, finished, {
      batchSize,
      queueWaitMs,
      // Sums of steps are a hair off.
      stepMs: Math.floor(step.endMs - waitedFromMs + 1e-6),
      tokens: tokenIndex + 1,
      ...(cachedTokens !== undefined && { cachedTokens }),
    });
  }
}

/** The answer as the next turn of a conversation will hold it: without its reasoning. */
function answerOf({ outputTokens, reasoningTokens, piece }: PlannedAnswer): { text: string; tokens: number } {
  const tokens = Math.max(0, outputTokens - reasoningTokens);
  return { text: Array.from({ length: tokens }, (_, i) => piece(reasoningTokens + i)).join(''), tokens };
}

function send(res: ServerResponse, status: number, type: string, body: string): void {
  res.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) });
  res.end(body);
}

function refuse(req: IncomingMessage, res: ServerResponse, refusal: Refusal): void {
  const body = refusalBody(refusal);
  // Unread bytes of a refused body must not be taken for the next request.
  if (!req.complete) res.setHeader('connection', 'close');
  for (const [name, value] of Object.entries(refusal.headers ?? {})) res.setHeader(name, value);
  send(res, refusal.status, 'application/json', body);
}
