import { describe, expect, test } from 'vitest';
import { fixture, importText } from '../../../test/imported.ts';
import type { ImportedSweep } from './imported.ts';

const block = (qps: string): string =>
  [
    '```',
    'Benchmarking summary: ',
    ' Time taken for tests: 100.000 seconds',
    ' Expected number of requests: 100',
    ' Number of concurrency: 100',
    ' Total requests: 100',
    ' Succeed requests: 100',
    ' Failed requests: 0',
    ` Average QPS: ${qps}`,
    ' Average latency: 2.000',
    '```',
  ].join('\n');

const sweepsIn = (text: string): ImportedSweep[] => importText(text).sweeps;
const askedIn = (text: string) =>
  sweepsIn(text).flatMap(({ points }) => points.map(({ model, asked }) => ({ model, ...asked })));

describe('what stands around a block', () => {
  test('headings: model, engine and settings of the innermost that says them', () => {
    const [found] = askedIn(`# MindIE\n## MindSpore测试\n### QwQ-32B "maxPrefillBatchSize": 50\n${block('1.000')}`);
    expect(found).toEqual({ model: 'QwQ-32B', engine: 'MindSpore', settings: { maxPrefillBatchSize: '50' } });
  });
  test('the command that started the server, over several lines and behind a binding', () => {
    const serve =
      '```bash\nnumactl -N0 -m0 vllm serve /data/Qwen2.5-72B-Instruct \\\n  --served-model-name qwen2.5\n```';
    const [sweep] = sweepsIn(`## 测试\n${serve}\n### 结果\n${block('1.000')}`);
    expect(sweep!.points[0]).toMatchObject({ model: 'Qwen2.5-72B-Instruct', asked: { engine: 'vLLM' } });
    expect(sweep!.title).toBe('vLLM · Qwen2.5-72B-Instruct · 结果');
    expect(sweep!.origins).toContainEqual({ name: 'engine', value: 'vLLM', where: 'command', line: 3 });
  });
  test('two models that one heading starts name none of them', () => {
    const two = '```bash\nvllm serve /data/A-7B\nvllm serve /data/B-14B\n```';
    expect(askedIn(`## 部署\n${two}\n## 压力测试\n${block('1.000')}`)).toEqual([{ model: null, engine: 'vLLM' }]);
  });
  test('an engine inside of another is told with it; two against each other name none', () => {
    expect(askedIn(`## XInference - vLLM\n${block('1.000')}`)[0]!.engine).toBe('XInference(vLLM)');
    expect(askedIn(`## vLLM ⚔️ XInference\n${block('1.000')}`)[0]).not.toHaveProperty('engine');
  });
  test('blocks of one load are variants by the words above them', () => {
    const text = `## NUMA\n\nA. 不绑定：\n\n${block('0.766')}\n\n**B. numactl -N0 -m0**\n\n${block('0.869')}\n`;
    expect(askedIn(text).map(({ variant }) => variant)).toEqual(['A. 不绑定', 'B. numactl -N0 -m0']);
  });
  test('words above blocks of different loads name nothing', () => {
    const text = `## x\n\nfirst\n\n${block('1.000')}\n\nthen\n\n${block('1.000').replace('concurrency: 100', 'concurrency: 50')}\n`;
    expect(askedIn(text).every((asked) => !('variant' in asked))).toBe(true);
  });
  test("a table of four bindings below their logs names the logs' points", () => {
    const table =
      '| NUMA 绑定 | Average QPS | Average latency |\n| --- | --- | --- |\n| 无 | 0.766 | 2.000 |\n| numactl -N0 -m0 | 0.869 | 2.000 |\n';
    const [sweep] = sweepsIn(`## NUMA\n${block('0.766')}\n${block('0.869')}\n\n${table}`);
    expect(sweep!.points.map(({ asked, load }) => [asked?.variant, load.concurrency])).toEqual([
      ['无', 100],
      ['numactl -N0 -m0', 100],
    ]);
  });
  test('the published documents: who measured what', () => {
    const of = (file: string) =>
      sweepsIn(fixture(`published/${file}`)).map(({ points }) => `${points[0]!.asked?.engine} ${points[0]!.model}`);
    expect(of('mindie-qwq-32b.md')).toEqual([
      'ATB QwQ-32B',
      'MindSpore QwQ-32B',
      'MindSpore QwQ-32B',
      'MindSpore QwQ-32B',
    ]);
    expect(of('evalscope-mxc500.md').at(-1)).toBe('vLLM Qwen2.5-72B-Instruct');
    expect(new Set(of('evalscope-atlas-800i-a2.md').map((name) => name.split(' ')[0]))).toEqual(new Set(['MindIE']));
  });
});
