import { taking } from '../foreign-flags.ts';
import type { ForeignTable, ForeignWords } from '../foreign-flags.ts';

/** Whose defaults hold: those of 0.5 (not streamed, nothing sent that was not asked for) or of 1.x. */
export type Dialect = '0.5' | '1';

/** The options of `evalscope perf`, from 0.5.5 to 1.14. */
export const evalscopeFlags: ForeignTable = {
  tool: 'evalscope perf',
  alias: { '-n': '--number' },
  supported: {
    ...taking(
      'one',
      'model url api api-key connect-timeout read-timeout total-timeout warmup-num duration sleep-interval name ' +
        'outputs-dir tokenizer-path dataset dataset-path dataset-offset max-prompt-length min-prompt-length ' +
        'prefix-length prompt query-template min-tokens temperature top-p top-k frequency-penalty ' +
        'repetition-penalty n-choices seed extra-args',
    ),
    ...taking('some', 'headers number parallel rate max-tokens'),
    ...taking('nothing', 'no-test-connection open-loop no-timestamp logprobs stream no-stream'),
    ...taking('any', 'stop stop-token-ids'),
  },
  ignored: {
    ...taking(
      'one',
      'attn-implementation port db-commit-interval queue-size-multiplier in-flight-task-multiplier num-workers ' +
        'log-every-n-query visualizer wandb-api-key swanlab-api-key swanlab-host data-source alias',
    ),
    ...taking('nothing', 'debug enable-progress-tracker apply-chat-template no-apply-chat-template'),
    // Of datasets with pictures, of --multi-turn and of --sla-auto-tune, which are refused themselves.
    ...taking(
      'one',
      'image-width image-height image-format image-num image-patch-size min-turns max-turns multi-turn-args ' +
        'sla-variable sla-params sla-num-runs sla-lower-bound sla-upper-bound sla-fixed-parallel ' +
        'sla-number-multiplier',
    ),
  },
  rejected: {
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
    '--scenario': {
      en: 'Use dyno run --dataset messages:FILE with the conversations of the scenario.',
      zh: '请使用 dyno run --dataset messages:文件，给出该场景的对话。',
    },
    '--prefix-count': {
      en: 'Leave it out: all prompts share one prefix (--prefix-length).',
      zh: '请去掉该选项：所有提示共用一个前缀（--prefix-length）。',
    },
    '--enable-pd-metrics': { en: 'Leave it out.', zh: '请去掉该选项。' },
  },
};

const modernOnly = Object.keys(
  taking(
    'any',
    'open-loop warmup-num duration sleep-interval total-timeout no-test-connection no-stream outputs-dir ' +
      'no-timestamp api-key extra-args min-tokens top-k repetition-penalty dataset-offset prefix-length ' +
      'visualizer enable-progress-tracker',
  ),
);

/** The release that a command was written for: a flag or a list that 0.5 did not have means 1.x. */
export function dialectOf(words: ForeignWords): Dialect {
  const lists = ['--number', '--parallel', '--rate', '--max-tokens'].some((flag) => (words.all(flag)?.length ?? 0) > 1);
  return lists || modernOnly.some((flag) => words.has(flag)) || words.last('--dataset') === 'random' ? '1' : '0.5';
}
