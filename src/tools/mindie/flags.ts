import type { ForeignTable } from '../foreign-flags.ts';

const take = (names: string): Record<string, 'one'> =>
  Object.fromEntries(names.split(/\s+/).map((name) => [`--${name}`, 'one' as const]));

/** The options of MindIE Benchmark (1.0 to 2.2). */
export const mindieFlags: ForeignTable = {
  tool: 'benchmark (MindIE)',
  supported: take(
    'TestType Http ManagementHttp ModelName ModelPath DatasetPath DatasetType Concurrency MaxInputLen MaxOutputLen Tokenizer ' +
      'DoSampling SamplingParams TaskKind RequestRate Distribution RequestNum RequestCount WarmupSize RequestTimeOut ' +
      'TestAccuracy SavePath SyntheticConfigPath',
  ),
  ignored: take('ModelVersion ConfigPath WorkersNum TrustRemoteCode SaveTokensPath SaveHumanEvalOutputFile'),
  rejected: {
    '--LoraDataMappingFile': { en: 'Run once for each adapter.', zh: '请对每个 LoRA 适配器各运行一次。' },
  },
};
