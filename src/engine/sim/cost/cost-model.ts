/** What a step costs depends on these sums alone. */
export interface StepLoad {
  /** Sequences that decode one token in the step. */
  decodes: number;
  /** Prompts that are prefilled in the step, whole or in part. */
  prompts: number;
  /** Prompt tokens prefilled in the step. */
  prefillTokens: number;
  /** KV tokens that the decoding sequences attend to. */
  kvTokens: number;
  /** Σ chunk·(context + chunk/2) over the prefilled chunks: what their attention costs. */
  prefillAttention: number;
}

/** How long one engine step takes, in ms. */
export interface CostModel {
  stepMs(load: StepLoad): number;
}
