import { defined, exitCodes, say, userError } from '../../core/index.ts';
import type { Phrase } from '../../core/index.ts';
import { faultNames, parseFault, startEngine, warmUp } from '../../engine/http/index.ts';
import type { EngineOptions, RunningEngine } from '../../engine/http/index.ts';
import { builtinProfiles, engineStory, simFaultNames, parseSimFault } from '../../engine/sim/index.ts';
import type { EngineProfile } from '../../engine/sim/index.ts';
import { portFlags, tlsOf } from '../engine-ports.ts';
import { example, makeCommand, printJson, remark } from '../command.ts';
import type { ParsedCommand } from '../command.ts';
import { anyText, flag, many, one, portNumber, realNumber, wholeNumber } from '../../lab/index.ts';
import { profileFlags, profileOf } from '../profile-flags.ts';

const defaultPort = 8000;
/** A client's own timeout is set on the client. */
const engineFaults = simFaultNames.filter((name) => name !== 'client-timeout');

export const command = makeCommand({
  about: {
    en: 'Run a simulated engine on 127.0.0.1: OpenAI chat and completions with batching, queueing and saturation, /metrics, and faults on demand.',
    zh: '在 127.0.0.1 上运行模拟引擎：OpenAI chat 与 completions 接口，具备批处理、排队和饱和行为，提供 /metrics，可注入故障。',
  },
  arguments: [],
  flags: {
    ...profileFlags,
    port: one(
      'port PORT',
      portNumber,
      `port (default: ${defaultPort}; 0 = any free one)`,
      `端口（默认：${defaultPort}；0 表示任选空闲端口）`,
    ),
    speed: one(
      'speed FACTOR',
      (text) => realNumber(0, Infinity, true)(text.replace(/x$/, '')),
      'faster than real: 10 or 10x (default: 1)',
      '加速倍数：10 或 10x（默认：1）',
    ),
    reasoningTokens: one(
      'reasoning-tokens COUNT',
      wholeNumber(0, 100_000),
      'reasoning tokens at the start of each chat answer',
      '每个回答开头的思考 token 数',
    ),
    seed: one(
      'seed NUMBER',
      wholeNumber(0),
      'seed of everything random (default: 1); dyno sim with the same seed throws the same dice',
      '随机种子（默认：1）；dyno sim 用相同种子得到相同的随机结果',
    ),
    profiles: flag('profiles', 'list the built-in profiles and end', '列出内置的引擎配置'),
    fault: many(
      'fault NAME[:PROBABILITY]',
      anyText,
      `fault on demand, repeatable: with a probability ${faultNames.join(', ')}; as published benchmarks had them ${engineFaults.join(', ')}`,
      `注入故障，可重复：带概率的 ${faultNames.join('、')}；公开测试中出现过的 ${engineFaults.join('、')}`,
    ),
    models: many(
      'model NAME',
      anyText,
      "model names it answers to (default: the profile's)",
      '对外的模型名称（默认：由引擎配置决定）',
    ),
    stamp: flag('stamp', 'put the emission time into every chunk (emit_ns)', '在每个数据块中写入发出时间（emit_ns）'),
    ...portFlags,
  },
  examples: [
    example(
      'dyno engine',
      'an engine on port 8000; then, elsewhere: dyno run http://127.0.0.1:8000',
      '在 8000 端口启动；然后另开终端：dyno run http://127.0.0.1:8000',
    ),
    example(
      'dyno engine --port 0 --speed 10x --fault reset:0.01 --fault 500:0.01',
      'fast and faulty',
      '加速并注入故障',
    ),
    example(
      'dyno engine --scheduler mindie --set maxBatchSize=200 --set supportSelectBatch=true',
      "MindIE's scheduling, under MindIE's own names",
      'MindIE 的调度，使用 MindIE 自身的设置名',
    ),
  ],
  async run(given, asked) {
    if (asked.profiles === true) return listProfiles(given);
    const { port = defaultPort, speed, reasoningTokens, seed, models, stamp = false, fault = [] } = asked;
    const { managementPort, metricsPort, quirks } = asked;
    const options = {
      ...defined({ port, speed, reasoningTokens, seed, models, stamp, managementPort, metricsPort, quirks }),
      ...tlsOf(asked),
      ...faultsOf(fault),
      profile: profileOf(asked),
    };
    await warmUp();
    const engine = await startEngine(options);
    const { io } = given;
    if (given.common.json) io.out(`${engineJson(engine)}\n`);
    else {
      io.out(`${engine.url}\n`);
      if (engine.managementUrl !== null) io.out(`management ${engine.managementUrl}\n`);
      if (engine.metricsUrl !== null) io.out(`metrics ${engine.metricsUrl}\n`);
      remark(given, 'simulated engine is up; Ctrl-C ends it', '模拟引擎已启动；按 Ctrl-C 结束');
    }
    await untilInterrupted(given);
    await goodbye(engine, given);
    return exitCodes.ok;
  },
});

function engineJson({ url, port, managementUrl, metricsUrl }: RunningEngine): string {
  return JSON.stringify({ schema: 'llmdyno.engine/1', url, port, managementUrl, metricsUrl });
}

function untilInterrupted(given: ParsedCommand): Promise<void> {
  return new Promise((resolve) => {
    const done = given.io.onInterrupt(() => {
      done();
      resolve();
    });
  });
}

async function goodbye(engine: RunningEngine, given: ParsedCommand): Promise<void> {
  const { requests, byFault, counters } = engine.stats();
  await engine.close();
  const faults = Object.entries(byFault)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${name} ${count}`);
  const counted = faults.length === 0 ? '' : ` (${faults.join(', ')})`;
  // Before the first request nothing was limited, and nothing was not.
  const limits = requests === 0 ? { en: '', zh: '' } : engineStory(counters, null);
  remark(
    given,
    `${requests} requests answered${counted}${limits.en === '' ? '' : `; ${limits.en}`}`,
    `共应答 ${requests} 个请求${counted}${limits.zh === '' ? '' : `；${limits.zh}`}`,
  );
}

function listProfiles(given: ParsedCommand): number {
  const profiles = [...builtinProfiles.values()];
  if (given.common.json) printJson(given, { schema: 'llmdyno.profiles/1', profiles });
  else
    for (const profile of profiles)
      given.io.out(`${profile.name}\n    ${profile.title}\n    ${say(qualityOf(profile), given.common.lang)}\n`);
  return exitCodes.ok;
}

/** From when a profile's figures are, and how far it was from what it was not fitted to. */
function qualityOf({ date, fit }: EngineProfile): Phrase {
  const errors = Object.entries(fit?.heldOutError ?? {}).map(
    ([metric, error]) => `${metric} ${(100 * error).toFixed(1)} %`,
  );
  if (errors.length === 0) return { en: `${date}; its error is not known`, zh: `${date}；误差未知` };
  return { en: `${date}; held-out error: ${errors.join(', ')}`, zh: `${date}；留出误差：${errors.join('，')}` };
}

function faultsOf(texts: readonly string[]): Pick<EngineOptions, 'faults' | 'simFaults'> {
  const simFaults = texts.flatMap((text) => parseSimFault(text) ?? []);
  if (simFaults.some((fault) => fault.name === 'client-timeout')) {
    throw userError(
      'bad-value',
      'client-timeout is the client’s, not the engine’s',
      'client-timeout 属于客户端而非引擎',
      'Use dyno run … --timeout 30, or dyno sim --fault client-timeout.',
      '请用 dyno run … --timeout 30，或 dyno sim --fault client-timeout。',
      '--fault',
    );
  }
  return { simFaults, faults: texts.filter((text) => parseSimFault(text) === null).map(parseFault) };
}
