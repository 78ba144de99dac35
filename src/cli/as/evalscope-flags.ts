import type { ForeignTable, ForeignWords } from './foreign-flags.ts';

/** Whose defaults hold: those of 0.5 (not streamed, nothing sent that was not asked for) or of 1.x. */
export type Dialect = '0.5' | '1';

/** The options of `evalscope perf`, from 0.5.5 to 1.10. */
export const evalscopeFlags: ForeignTable = {
  tool: 'evalscope perf',
  alias: { '-n': '--number' },
  obeyed: {
    '--model': 'one',
    '--url': 'one',
    '--api': 'one',
    '--api-key': 'one',
    '--headers': 'some',
    '--connect-timeout': 'one',
    '--read-timeout': 'one',
    '--total-timeout': 'one',
    '--no-test-connection': 'nothing',
    '--number': 'some',
    '--parallel': 'some',
    '--rate': 'some',
    '--open-loop': 'nothing',
    '--warmup-num': 'one',
    '--duration': 'one',
    '--sleep-interval': 'one',
    '--name': 'one',
    '--outputs-dir': 'one',
    '--no-timestamp': 'nothing',
    '--tokenizer-path': 'one',
    '--dataset': 'one',
    '--dataset-path': 'one',
    '--dataset-offset': 'one',
    '--max-prompt-length': 'one',
    '--min-prompt-length': 'one',
    '--prefix-length': 'one',
    '--prompt': 'one',
    '--query-template': 'one',
    '--max-tokens': 'some',
    '--min-tokens': 'one',
    '--temperature': 'one',
    '--top-p': 'one',
    '--top-k': 'one',
    '--frequency-penalty': 'one',
    '--repetition-penalty': 'one',
    '--logprobs': 'nothing',
    '--n-choices': 'one',
    '--seed': 'one',
    '--stop': 'any',
    '--stop-token-ids': 'any',
    '--stream': 'nothing',
    '--no-stream': 'nothing',
    '--extra-args': 'one',
  },
  moot: {
    '--attn-implementation': 'one',
    '--port': 'one',
    '--db-commit-interval': 'one',
    '--queue-size-multiplier': 'one',
    '--in-flight-task-multiplier': 'one',
    '--num-workers': 'one',
    '--log-every-n-query': 'one',
    '--debug': 'nothing',
    '--enable-progress-tracker': 'nothing',
    '--visualizer': 'one',
    '--wandb-api-key': 'one',
    '--swanlab-api-key': 'one',
    '--swanlab-host': 'one',
    '--data-source': 'one',
    '--apply-chat-template': 'nothing',
    '--no-apply-chat-template': 'nothing',
  },
  refused: {
    '--sla-auto-tune': {
      en: 'Use dyno sweep with --slo and read goodput at each point.',
      zh: '请使用带 --slo 的 dyno sweep，并查看每个点的 goodput。',
    },
    '--multi-turn': {
      en: 'Use dyno run --dataset messages:FILE, which holds conversations.',
      zh: '请使用 dyno run --dataset messages:文件，支持多轮对话。',
    },
    '--tokenize-prompt': {
      en: 'Token-id prompts are sent with dyno run --dataset requests:FILE and a body of your own.',
      zh: '发送 token id 请用 dyno run --dataset requests:文件 并自行给出请求体。',
    },
    '--dataset-args': {
      en: 'Use --max-prompt-length here, or the dataset words of dyno run.',
      zh: '请使用 --max-prompt-length，或 dyno run 的数据集选项。',
    },
    '--enable-pd-metrics': { en: 'Leave it out.', zh: '请去掉该选项。' },
  },
};

const modernOnly = [
  '--open-loop',
  '--warmup-num',
  '--duration',
  '--sleep-interval',
  '--total-timeout',
  '--no-test-connection',
  '--no-stream',
  '--outputs-dir',
  '--no-timestamp',
  '--api-key',
  '--extra-args',
  '--min-tokens',
  '--top-k',
  '--repetition-penalty',
  '--dataset-offset',
  '--prefix-length',
  '--visualizer',
  '--enable-progress-tracker',
];

/** The release that a command was written for: a flag or a list that 0.5 did not have means 1.x. */
export function dialectOf(words: ForeignWords): Dialect {
  const lists = ['--number', '--parallel', '--rate', '--max-tokens'].some((flag) => (words.all(flag)?.length ?? 0) > 1);
  return lists || modernOnly.some((flag) => words.has(flag)) || words.last('--dataset') === 'random' ? '1' : '0.5';
}
