import { quantile, randomStream, say } from '../../core/index.ts';
import type { Lang, Prompt } from '../../core/index.ts';
import { inputCharsOf } from '../workload/index.ts';
import type { Dataset } from './dataset.ts';
import type { Tokenizer } from './tokenizer.ts';

/** Percentiles come from at most so many records, drawn evenly; mean, least and most from all. */
const sampled = 100_000;
const keptMistakes = 10;
/** Prompts looked at where they are made and never end. */
const madeCount = 1000;

/** One measure over many prompts; null figures for none. */
export interface Spread {
  n: number;
  mean: number | null;
  min: number | null;
  max: number | null;
  p50: number | null;
  p90: number | null;
  p99: number | null;
  total: number;
}

/** What a dataset holds. */
export interface Survey {
  prompts: number;
  /** Records left out by the format's rules, by reason. */
  skipped: Record<string, number>;
  wrong: number;
  mistakes: string[];
  chars: Spread;
  /** null = no tokenizer to count with. */
  tokens: Spread | null;
  /** Planned answer lengths; null = the dataset has none. */
  answerTokens: Spread | null;
  /** Prompts were made, so only the first ones were looked at. */
  endless: boolean;
}

/** Reads a dataset once from end to end (or the first 1,000 of a made one), in bounded memory; reasons in one language. */
export async function surveyDataset(
  dataset: Dataset,
  tokenizer: Tokenizer | null,
  { most = Infinity, lang = 'en' }: { most?: number; lang?: Lang } = {},
): Promise<Survey> {
  const [chars, tokens, answers] = [new Tally('chars'), new Tally('tokens'), new Tally('answers')];
  const survey = { prompts: 0, wrong: 0, skipped: {} as Record<string, number>, mistakes: [] as string[] };
  const see = (prompt: Prompt): void => {
    survey.prompts += 1;
    chars.add(inputCharsOf(prompt));
    if (tokenizer !== null) tokens.add(tokenizer.count(textOf(prompt)));
    if (prompt.maxTokens !== null) answers.add(prompt.maxTokens);
  };
  const endless = dataset.survey === undefined;
  if (dataset.survey === undefined) {
    const workload = dataset.workload(0);
    for (let i = 0; i < Math.min(most, madeCount); i++) see((await workload.next())!);
  } else {
    for await (const one of dataset.survey()) {
      if ('prompt' in one) see(one.prompt);
      else if ('skip' in one) {
        const why = say(one.skip, lang);
        survey.skipped[why] = (survey.skipped[why] ?? 0) + 1;
      } else {
        survey.wrong += 1;
        if (survey.mistakes.length < keptMistakes) survey.mistakes.push(`${one.line}: ${say(one.mistake, lang)}`);
      }
      if (survey.prompts >= most) break;
    }
  }
  return {
    ...survey,
    endless,
    chars: chars.read(),
    tokens: tokenizer === null ? null : tokens.read(),
    answerTokens: answers.n === 0 ? null : answers.read(),
  };
}

/** All that a prompt says, as one text. */
export function textOf(prompt: Prompt): string {
  if (prompt.messages.length === 0) return prompt.text ?? '';
  return prompt.messages
    .map(({ content }) =>
      typeof content === 'string'
        ? content
        : content.map((part) => (typeof part['text'] === 'string' ? part['text'] : '')).join(''),
    )
    .join('\n');
}

/** Sums of everything, and an even sample for the percentiles. */
class Tally {
  n = 0;
  #total = 0;
  #min = Infinity;
  #max = -Infinity;
  readonly #sample: number[] = [];
  readonly #chance;

  constructor(name: string) {
    this.#chance = randomStream(1, `survey ${name}`);
  }

  add(value: number): void {
    this.n += 1;
    this.#total += value;
    this.#min = Math.min(this.#min, value);
    this.#max = Math.max(this.#max, value);
    if (this.#sample.length < sampled) this.#sample.push(value);
    else {
      const at = this.#chance.below(this.n);
      if (at < sampled) this.#sample[at] = value;
    }
  }

  read(): Spread {
    const ascending = Float64Array.from(this.#sample).sort();
    const none = this.n === 0;
    return {
      n: this.n,
      mean: none ? null : this.#total / this.n,
      min: none ? null : this.#min,
      max: none ? null : this.#max,
      p50: quantile(ascending, 0.5),
      p90: quantile(ascending, 0.9),
      p99: quantile(ascending, 0.99),
      total: this.#total,
    };
  }
}
