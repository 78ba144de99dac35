import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { dynoHere } from '../../../test/in-process.ts';
import { planCheckSchema, planSchema } from '../../advice/plan/index.ts';
import { readProfile } from '../../engine/sim/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'dyno-plan-'));
afterAll(() => rmSync(folder, { recursive: true }));
const fixtures = join(import.meta.dirname, '../../../test/fixtures');

const dyno = (line: string) => dynoHere(line.split(' '));

const example =
  'plan --model llama-3-8b --card-memory-gib 32 --cards 2 --idle-gib 3 --weights-gib 15 --input-tokens 186 --output-tokens 346 --max-output-tokens 512 --block-size 128';

describe('dyno plan', () => {
  it('answers the contract’s example as one JSON document', async () => {
    const { out, code } = await dyno(`${example} --json`);
    expect(code).toBe(0);
    const plan = planSchema.parse(JSON.parse(out));
    expect([plan.npuMemSizeGiB, plan.totalBlocks, plan.maxBatchSize, plan.guide.totalBlocks]).toEqual([
      17,
      2176,
      { min: 362, mean: 435, max: 1088 },
      544,
    ]);
  });

  it('sets the guide beside it when asked, in Chinese too', async () => {
    expect((await dyno(`${example} --formula guide`)).out).toContain('[90, 272], 108');
    expect((await dyno(`${example} --formula guide --lang zh`)).out).toContain('与 MindIE 指南对照');
  });

  it('reads a published config.json and measures a folder of weights', async () => {
    writeFileSync(join(folder, 'model-00001.safetensors'), Buffer.alloc(3 * 2 ** 20));
    writeFileSync(join(folder, 'model-00002.safetensors'), Buffer.alloc(2 ** 20));
    writeFileSync(join(folder, 'pytorch_model.bin'), Buffer.alloc(2 ** 20));
    const { out } = await dyno(
      `plan --model-config ${fixtures}/hardware/qwen3-32b.config.json --weights ${folder} --card 910b3 --cards 4 --input-tokens 100 --output-tokens 100 --json`,
    );
    const plan = planSchema.parse(JSON.parse(out));
    expect(plan.kvBytesPerTokenPerCard).toBe(65_536);
    expect(plan.memory).toMatchObject({ weightsTotalGiB: 4 / 1024, weightsFrom: 'folder' });
  });

  it('takes the block count from a server’s log', async () => {
    const { out } = await dyno(`${example} --server-log ${fixtures}/plan/server-log-mindie.txt --json`);
    expect(planSchema.parse(JSON.parse(out))).toMatchObject({ totalBlocks: 2174, totalBlocksFrom: 'server-log' });
  });

  it('writes a whole config.json from a template, which checks clean', async () => {
    const file = join(folder, 'new.json');
    const made = await dyno(
      `plan --model llama-3-8b --card 910b4 --cards 2 --input-tokens 186 --output-tokens 346 --max-output-tokens 2048 --emit mindie --template ${fixtures}/plan/mindie-good.json --out ${file}`,
    );
    expect([made.code, made.out, made.err]).toEqual([0, '', '']);
    expect(statSync(file).mode & 0o777).toBe(0o640);
    const check = await dyno(`plan --check ${file} --json`);
    expect(check.code).toBe(0);
    expect(planCheckSchema.parse(JSON.parse(check.out)).verdict).toEqual({ valid: true, findings: [] });
    expect(JSON.parse(readFileSync(file, 'utf8')).BackendConfig.ScheduleConfig.maxIterTimes).toBe(2048);
  });

  it('gives the simulator a profile where nobody has measured one', async () => {
    const { out } = await dyno(
      'plan --model qwq-32b --card 910b3 --cards 4 --input-tokens 60 --output-tokens 449 --emit profile',
    );
    const profile = readProfile(JSON.parse(out));
    const { aMs, cMsPerDecode, kMsPer1000KvTokens } = profile.cost;
    // A published run of this rig decoded ten sequences of about 285 tokens in 27.0 ms.
    const stepMs = aMs + 10 * cMsPerDecode + 2.85 * kMsPer1000KvTokens;
    expect(stepMs).toBeGreaterThan(27.0 / 2);
    expect(stepMs).toBeLessThan(27.0 * 2);
    expect(profile.source).toContain('nothing measured');
  });

  it('ends a check of a wrong file with 5, or 0 with --lenient', async () => {
    const line = `plan --check ${fixtures}/plan/mindie-guide-example.json`;
    expect((await dyno(line)).code).toBe(5);
    expect((await dyno(`${line} --lenient`)).code).toBe(0);
  });

  it.each([
    ['plan --model llama-3-8b --card 910b4 --cards 0', '--cards: 0 is not allowed'],
    ['plan --model llama-3-8b --card 910b4 --idle-gib -3', '--idle-gib: -3 is not allowed'],
    [
      'plan --model llama-3-8b --card 910b4 --cards 3',
      'num_attention_heads: 32 attention heads cannot be split over 3 cards',
    ],
    ['plan --model qwen2-72b --card 910b4', 'the weights take 135.43 GiB of each card'],
    ['plan --model llama-3-8b --card 910b4 --cards two', '--cards: "two" is not a number'],
    ['plan --model llama-3-8b --card 910b4 --decode-limit fast', '--decode-limit: "fast" is not a duration'],
    ['plan --model-config /no/such/file --card 910b4', '/no/such/file --model-config: cannot be read (ENOENT)'],
    [`plan --check ${fixtures}/hardware/qwq-32b.config.json`, 'not a MindIE config.json'],
    ['plan --model llama-3-8b --card 910b4 --emit tgi', '--emit: "tgi" is not known here'],
  ])('%s: a clear mistake and exit 2', async (line, says) => {
    const { out, err, code } = await dyno(line);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(says);
    expect(err).toContain('→');
  });

  it('names num_hidden_layers where a config.json lacks it', async () => {
    const file = join(folder, 'config.json');
    const { num_hidden_layers: _gone, ...rest } = JSON.parse(
      readFileSync(`${fixtures}/hardware/qwq-32b.config.json`, 'utf8'),
    );
    writeFileSync(file, JSON.stringify(rest));
    const { err, code } = await dyno(`plan --model-config ${file} --card 910b3 --cards 4`);
    expect(code).toBe(2);
    expect(err).toContain(`${file} num_hidden_layers: num_hidden_layers is missing`);
  });

  it('lists what it knows', async () => {
    expect((await dyno('plan --list cards')).out).toContain('910b4-32g');
    expect((await dyno('plan --list models')).out).toContain('deepseek-v3');
  });
});
