import { taking } from '../foreign-flags.ts';
import type { ForeignTable } from '../foreign-flags.ts';

/** The options of MindIE Benchmark (1.0 to 2.2). */
export const mindieFlags: ForeignTable = {
  tool: 'benchmark (MindIE)',
  supported: taking(
    'one',
    'TestType Http ManagementHttp ModelName ModelPath DatasetPath DatasetType Concurrency MaxInputLen MaxOutputLen Tokenizer ' +
      'DoSampling SamplingParams TaskKind RequestRate Distribution RequestNum RequestCount WarmupSize RequestTimeOut ' +
      'TestAccuracy SavePath SyntheticConfigPath',
  ),
  ignored: taking('one', 'ModelVersion ConfigPath WorkersNum TrustRemoteCode SaveTokensPath SaveHumanEvalOutputFile'),
  rejected: {
    '--LoraDataMappingFile': { en: 'Run once for each adapter.', zh: '请对每个 LoRA 适配器各运行一次。' },
  },
};
