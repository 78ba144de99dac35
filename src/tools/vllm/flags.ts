import { taking } from '../foreign-flags.ts';
import type { ForeignTable } from '../foreign-flags.ts';

/** The options of `vllm bench serve` (2026) and of benchmark_serving.py (2024, 2025), which went before it. */
export const vllmServeFlags: ForeignTable = {
  tool: 'vllm bench serve',
  alias: { '--endpoint-type': '--backend' },
  supported: {
    ...taking(
      'one',
      'backend base-url host port endpoint model served-model-name tokenizer dataset dataset-name dataset-path num-prompts ' +
        'request-rate burstiness max-concurrency num-warmups seed logprobs temperature top-p top-k min-p frequency-penalty ' +
        'presence-penalty repetition-penalty extra-body chat-template-kwargs best-of input-len output-len random-input-len ' +
        'random-output-len random-range-ratio random-prefix-len sharegpt-output-len custom-output-len ' +
        'prefix-repetition-prefix-len prefix-repetition-suffix-len prefix-repetition-num-prefixes ' +
        'prefix-repetition-output-len percentile-metrics metric-percentiles label result-dir result-filename',
    ),
    ...taking('nothing', 'insecure ignore-eos disable-shuffle no-oversample save-result save-detailed append-result'),
    '--header': 'some',
    '--goodput': 'some',
    '--metadata': 'any',
  },
  ignored: {
    ...taking(
      'one',
      'tokenizer-mode ready-check-timeout-sec request-id-prefix timeline-itl-thresholds hf-subset hf-split hf-name hf-output-len ' +
        'sonnet-input-len sonnet-output-len sonnet-prefix-len ' +
        // Of datasets that are refused by their names, and so without effect on any other.
        'spec-bench-output-len spec-bench-category speed-bench-dataset-subset speed-bench-output-len speed-bench-category ' +
        'blazedit-min-distance blazedit-max-distance asr-max-audio-len-sec asr-min-audio-len-sec bfcl-categories ' +
        'random-batch-size random-mm-base-items-per-request random-mm-num-mm-items-range-ratio ' +
        'random-mm-limit-mm-per-prompt random-mm-bucket-config timed-trace-sec-multiplier timed-trace-label-timestamp ' +
        'timed-trace-label-input-length timed-trace-label-output-length timed-trace-label-hash-ids lora-assignment',
    ),
    ...taking(
      'nothing',
      'trust-remote-code disable-tqdm profile use-beam-search skip-tokenizer-init skip-chat-template plot-timeline ' +
        'plot-dataset-stats no-stream enable-multimodal-chat custom-ensure-client-side-data no-reranker no-self-timed',
    ),
  },
  rejected: {
    '--lora-modules': {
      en: 'Run once for each module with --served-model-name.',
      zh: '请用 --served-model-name 对每个模块各运行一次。',
    },
    '--ramp-up-strategy': {
      en: 'Use dyno run --ramp linear(1,20,60s) or exponential(1,20,60s).',
      zh: '请使用 dyno run --ramp linear(1,20,60s) 或 exponential(1,20,60s)。',
    },
    '--ramp-up-start-rps': { en: 'Use dyno run --ramp.', zh: '请使用 dyno run --ramp。' },
    '--ramp-up-end-rps': { en: 'Use dyno run --ramp.', zh: '请使用 dyno run --ramp。' },
    '--probe-request-rate': { en: 'Run a second dyno run beside it.', zh: '请另外运行一个 dyno run。' },
    '--self-timed': {
      en: 'Use dyno run --dataset mooncake:FILE --arrival trace.',
      zh: '请使用 dyno run --dataset mooncake:文件 --arrival trace。',
    },
    '--timed-trace-chunk-hash-size': {
      en: 'Use dyno run --dataset mooncake:FILE --arrival trace.',
      zh: '请使用 dyno run --dataset mooncake:文件 --arrival trace。',
    },
  },
};

/** The options of the script of 2023, which spoke to vLLM's own /generate (or to TGI). */
export const vllm2023Flags: ForeignTable = {
  tool: 'benchmark_serving.py (2023)',
  supported: {
    ...taking('one', 'backend host port dataset tokenizer best-of num-prompts request-rate seed'),
    ...taking('nothing', 'use-beam-search'),
  },
  ignored: taking('nothing', 'trust-remote-code'),
};
