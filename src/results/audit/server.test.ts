import { describe, expect, test } from 'vitest';
import { UserError } from '../../core/index.ts';
import type { ClientHealth, RunPlan, Silence, Summary } from '../../core/index.ts';
import { auditSummary, auditSweep, parseLimit } from './index.ts';
import type { AuditContext } from './index.ts';
import { sampleDistribution, samplePoint } from '../../../test/sample-point.ts';

const found = (code: string, point: Summary, context: AuditContext = {}) =>
  auditSummary(point, context).find((finding) => finding.code === code);
const silence: Silence = { fromMs: 4200, toMs: 10_200, waiting: 16, lost: 0, back: true };
const undisturbed: Summary['undisturbed'] = {
  requestsPerSec: 9.4,
  outputTokensPerSec: 940,
  latencyMs: sampleDistribution({ p99: 900 }),
  ttftMs: sampleDistribution({ p99: 50 }),
};

describe('server-silent', () => {
  test('when, how long, how many waited, and the figures without it', () => {
    const finding = found('server-silent', samplePoint({ silences: [silence], undisturbed }))!;
    expect(finding.severity).toBe('warn');
    expect(finding.message).toContain('6 s from 4.2 s on, 16 waiting');
    expect(finding.message).toContain('Without it 9.4 requests/s (with it 5), latency p99 900 ms (2.5 s)');
    expect(finding.zh.message).toContain('16 个请求在等待');
  });
  const standing = (loopDelayMaxMs: number): Summary =>
    samplePoint({ silences: [silence], client: { loopDelayMaxMs } as ClientHealth });
  test('a client that stood still itself for half of it is told of, and not the server', () => {
    expect(found('server-silent', standing(2900))!.message).toContain('All streams fell silent');
    expect(found('server-silent', standing(3100))!.message).toContain('this client itself stood still');
  });
});

describe('server-gone', () => {
  test('since when and how many were refused; such figures are not valid', () => {
    const gone = { ...silence, lost: 215, back: false };
    expect(found('server-gone', samplePoint({ silences: [gone] }))).toMatchObject({
      severity: 'invalid',
      message: 'The server went away: no answer since 4.2 s; 215 refused or broken off.',
    });
    expect(found('server-silent', samplePoint({ silences: [gone] }))).toBeUndefined();
    expect(found('server-gone', samplePoint({ silences: [silence] }))).toBeUndefined();
  });
});

describe('failures have a price', () => {
  const failing = (failed: number): Summary =>
    samplePoint({
      counts: { ...samplePoint().counts, ok: 1000 - failed, failed, byProblem: { 'http-5xx': failed } },
    });
  const severity = (failed: number, context: AuditContext = {}) =>
    found('failures', failing(failed), context)?.severity;
  test.each([
    [0, undefined],
    [9, 'info'],
    [10, 'warn'],
    [500, 'warn'],
    [501, 'invalid'],
    [920, 'invalid'],
  ])('%i of 1,000: %s', (failed, wanted) => expect(severity(failed)).toBe(wanted));
  const planned = (limit: string): AuditContext => ({
    plan: { limits: [limit], dataset: { cycled: false }, load: {} } as unknown as RunPlan,
  });
  test('a limit that was set for the audit counts, and so does one of the plan', () => {
    expect(severity(700, { limits: ['failed-invalid=80%'] })).toBe('warn');
    expect(severity(810, { limits: ['failed-invalid=0.8'] })).toBe('invalid');
    expect(severity(30, planned('failed-invalid=2%'))).toBe('invalid');
    expect(severity(30, planned('failed-warn=5%'))).toBe('info');
  });
  test.each(['failed-invalid', 'failed-invalid=', 'failed-invalid=120%', 'faild=5%', 'failed-warn=-1'])(
    '"%s" is refused, and all names are told',
    (text) => {
      expect(() => parseLimit(text)).toThrow(UserError);
      try {
        parseLimit(text);
      } catch (error) {
        expect((error as UserError).mistakes[0]!.hint!.en).toContain('failed-warn, failed-invalid');
      }
    },
  );
});

describe('cached-prompts', () => {
  const random = (kind = 'random'): AuditContext => ({
    plan: { dataset: { kind, cycled: false, settings: { seed: 7 } }, load: {} } as unknown as RunPlan,
  });
  const hit = (cachedInputRatio: number, mean = 512): Summary =>
    samplePoint({ cachedInputRatio, inputTokens: sampleDistribution({ mean }) });
  test('random prompts that the server had in its cache, just beside the number that decides', () => {
    expect(found('cached-prompts', hit(0.21), random())).toMatchObject({ severity: 'warn', evidence: { seed: 7 } });
    expect(found('cached-prompts', hit(0.19), random())).toBeUndefined();
    expect(found('cached-prompts', hit(0.19), { ...random(), limits: ['cached-new=10%'] })).toBeDefined();
  });
  test('what the prompts themselves allow is no doubt, nor is the template that all begin with', () => {
    expect(found('cached-prompts', { ...hit(0.5), eligibleInputRatio: 0.45 }, random())).toBeUndefined();
    expect(found('cached-prompts', hit(0.3, 200), random())).toBeUndefined();
    expect(found('cached-prompts', hit(0.3, 220), random())).toBeDefined();
  });
  test('prompts of other kinds may repeat as far as they allow it, and hits that nobody told are not known', () => {
    expect(found('cached-prompts', hit(0.9), random('shared-prefix'))).toBeUndefined();
    expect(found('cached-prompts', { ...hit(0.9), eligibleInputRatio: 0.85 }, random('shared-prefix'))).toBeUndefined();
    expect(found('cached-prompts', { ...hit(0.9), eligibleInputRatio: 0.1 }, random('jsonl'))!.advice).toContain(
      '--flush-cache',
    );
    expect(found('cached-prompts', samplePoint(), random())).toBeUndefined();
  });
  test('metrics count where usage does not tell', () => {
    const point = samplePoint({ server: { prefixHitRatio: 0.97 }, inputTokens: sampleDistribution({ mean: 512 }) });
    expect(found('cached-prompts', point, random())).toMatchObject({ evidence: { by: 'server', hitRatio: 0.97 } });
  });
});

describe('the front, restarts, a full cache, and the host of the client', () => {
  const front = (busiestRatio: number): Summary =>
    samplePoint({ server: { front: { processes: 1, busiestRatio, meanRatio: 0.7, usPerToken: 50 } } });
  test('from 0.8 of a core in a busy second it is named, from 0.95 it is the limit', () => {
    expect(found('front-bound', front(0.79))).toBeUndefined();
    expect(found('front-bound', front(0.81))).toMatchObject({ severity: 'info' });
    expect(found('front-bound', front(0.96))).toMatchObject({ severity: 'warn' });
    expect(found('front-bound', front(0.96))!.message).toContain('96 % of a core (70 % on average, 50 µs a token)');
    expect(found('front-bound', front(0.96))!.advice).toContain('--api-server-count');
    expect(found('front-bound', samplePoint({ server: {} }))).toBeUndefined();
  });
  test('a server that was restarted meanwhile', () => {
    expect(found('server-restarted', samplePoint({ server: { restartedAtMs: 4200 } }))!.message).toContain('4.2 s');
    expect(found('server-restarted', samplePoint({ server: { restartedAtMs: null } }))).toBeUndefined();
  });
  test('a KV cache that the metrics of a run tell of', () => {
    const kv = (max: number): Summary => samplePoint({ server: { kvUsageRatio: { mean: 0.5, max } } });
    expect(found('kv-bound', kv(0.94))).toBeUndefined();
    expect(found('kv-bound', kv(0.96))).toBeDefined();
  });
  test('a client that waited for a processor a fifth of the time', () => {
    const waiting = (cpuWaitRatio: number): Summary => samplePoint({ client: { cpuWaitRatio } as ClientHealth });
    expect(found('host-wait', waiting(0.19))).toBeUndefined();
    expect(found('host-wait', waiting(0.21))).toMatchObject({ severity: 'info' });
  });
  test('a hypervisor that took a twentieth of the processors', () => {
    const stolen = (stolenRatio: number): Summary => samplePoint({ client: { stolenRatio } as ClientHealth });
    expect(found('host-wait', stolen(0.04))).toBeUndefined();
    expect(found('host-wait', stolen(0.06))!.message).toContain("gave 6 % of this host's processor time to others");
    expect(found('host-wait', stolen(0.04), { limits: ['host-stolen=3%'] })).toBeDefined();
  });
});

describe('cold-start', () => {
  const slow = {
    ttftMs: sampleDistribution({ p90: 100, max: 6000 }),
    latencyMs: sampleDistribution({ p90: 900, max: 7000 }),
  };
  test('the slowest of a run in which the server fell silent were not its first', () => {
    const stopped: Silence = { fromMs: 5000, toMs: 11_000, waiting: 4, lost: 0, back: true };
    expect(found('cold-start', samplePoint(slow))).toBeDefined();
    expect(found('cold-start', samplePoint({ ...slow, silences: [stopped] }))).toBeUndefined();
  });
});

describe('server-changed', () => {
  const at = (startedAtSec: number | null, more: Partial<Summary> = {}): Summary =>
    samplePoint({ server: startedAtSec === null ? {} : { startedAtSec }, ...more });
  const told = (...points: Summary[]): unknown[] =>
    auditSweep(points)
      .filter(({ code }) => code === 'server-changed')
      .map(({ evidence }) => evidence['point']);
  test('a process that was started anew between two points is told once, with the point', () => {
    expect(told(at(100), at(100.5), at(900), at(900))).toEqual([3]);
    expect(told(at(100), at(101), at(100))).toEqual([]);
    expect(told(at(null), at(900), at(null))).toEqual([]);
  });
  test('two servers that answer by turns behind one address were not started anew', () => {
    expect(told(at(100), at(900), at(100), at(900))).toEqual([]);
  });
  test('a model that is listed otherwise is another server; others that come or go beside it are told and no more', () => {
    const lists = (...models: string[]): Summary => samplePoint({ model: 'tiny', models });
    const changes = (...points: Summary[]): unknown =>
      auditSweep(points)
        .filter(({ code }) => code === 'server-changed')
        .map(({ severity, message, zh }) => [severity, message, zh!.message]);
    const [old, fresh] = ['tiny (root /a, max_model_len 2048)', 'tiny (root /b, max_model_len 2048)'];
    expect(changes(lists(old), lists(old), lists(fresh))).toEqual([
      [
        'warn',
        `From point 3 on another server answered: its list of models is another one, without ${old} and with ${fresh}.`,
        `自第 3 个点起由另一个服务器应答：其模型列表发生变化，少了 ${old}，多了 ${fresh}。`,
      ],
    ]);
    expect(changes(lists('tiny'), lists('other'))).toMatchObject([['warn', expect.any(String), expect.any(String)]]);
    expect(changes(lists(old), lists(old, 'tiny-lora'))).toMatchObject([
      ['info', 'From point 2 on its list of models is another one, with tiny-lora.', expect.any(String)],
    ]);
    // Replicas that answer by turns, another order, and a list that could not be had once.
    expect(changes(lists(old), lists(fresh), lists(old))).toEqual([]);
    expect(changes(lists('a', 'b'), lists('b', 'a'), samplePoint({}), lists('a', 'b'))).toEqual([]);
  });
  test('a process that was started anew with another model is told once, with both', () => {
    const listing = (...models: string[]): Partial<Summary> => ({ model: 'tiny', models });
    const both = [at(100, listing('tiny (root /a)')), at(900, listing('tiny (root /b)'))];
    const [only, ...more] = auditSweep(both).filter(({ code }) => code === 'server-changed');
    expect(more).toEqual([]);
    expect(only!.message).toMatch(/started 800 s after the one before; its list of models is another one/);
    expect(only!.evidence).toMatchObject({ point: 2, startedAtSec: 900, modelsNew: 'tiny (root /b)' });
  });
  test('another server says its name; servers of variants are meant to be others', () => {
    const named = (server: string): Partial<Summary> => ({ engine: { server, simulated: false } });
    expect(told(at(null, named('uvicorn')), at(null, named('nginx')))).toEqual([2]);
    const variant = (name: string): Partial<Summary> => ({ asked: { variant: name } });
    expect(told(at(100, variant('a')), at(900, variant('b')))).toEqual([]);
  });
});
