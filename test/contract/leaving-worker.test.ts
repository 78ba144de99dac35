import { expect, test } from 'vitest';
import { dealOver } from '../../src/client/cluster/deals.ts';
import { ShareRequestSource } from '../../src/client/cluster/share-request-source.ts';
import { startEngine } from '../../src/engine/http/index.ts';
import { LoadSession, startClock } from '../../src/client/load/index.ts';
import { builtinProfile } from '../../src/engine/sim/index.ts';
import { conversationPrompt, fromPrompts } from '../../src/inputs/workload/index.ts';
import { smallPlan } from './small-plan.ts';

test('a worker that leaves holds its last conversation to its end, however the moments of its turns are rounded', async () => {
  const engine = await startEngine({
    profile: builtinProfile('qwen1.5-7b-mindie-8x910b4'),
    speed: 100,
    models: ['any'],
  });
  const turns = 100;
  const talk = conversationPrompt({
    id: 'last',
    system: null,
    turns: Array.from({ length: turns }, () => 'and?'),
    maxTokens: Array.from({ length: turns }, () => 1),
    thinkMs: () => 1,
    keepReasoning: false,
  });
  const plan = smallPlan(`${engine.url}/v1/chat/completions`, {
    load: { ...smallPlan('').load, concurrency: 1 },
    requests: turns,
  });
  const ended: number[] = [];
  let requestSource: ShareRequestSource | null = null;
  const session = new LoadSession({
    plan,
    clock: startClock(),
    workload: () => ({ ...fromPrompts([talk], { offset: 0, cycle: true }), conversations: true }),
    secrets: {},
    behind: null,
    deal: ({ limits, seed }, wake) => {
      const rest = { member: 'm', load: plan.load, limits, seed, wake, conversations: true };
      let claimed = 0;
      const claim = () => Promise.resolve({ from: claimed, to: (claimed = 1) });
      requestSource = new ShareRequestSource({
        ...rest,
        claim,
        allowed: () => true,
        idle: () => requestSource!.finish(),
      });
      requestSource.deal(dealOver(['m'], 1, { number: 1, fromMs: 0 }));
      return requestSource;
    },
    emit: (ending) => {
      ended.push(ending.record().exchange.seq);
      if (ended.length === 3) setImmediate(() => requestSource!.retire());
    },
  });
  await session.prepare('measure');
  // A phase that began long before the clock's zero: a moment counted from its beginning and back is rounded nearly each time.
  await session.run('measure', -100_000);
  session.close();
  await engine.close();
  expect(ended).toEqual(Array.from({ length: turns }, (_, seq) => seq));
});
