import { randomStream } from '../../core/index.ts';
import type { LengthLaw, Prompt } from '../../core/index.ts';
import { lengthDrawer } from './draw-length.ts';
import { plainPrompt } from './prompt.ts';

/** What prompts out of lines are made from. */
export interface LinePrompts {
  seed: number;
  /** Lines to choose from, at least one. */
  lines: readonly string[];
  /** Tokens of a line with its line end, counted or estimated. */
  tokensOf(line: string): number;
  input: LengthLaw;
  output: LengthLaw | null;
  /** The first lines up to so many tokens stand in front of every prompt (0 = none): what a prefix cache can keep. */
  prefixTokens: number;
  before: string;
  after: string;
}

/** Prompt number `index`: an instruction, the shared first lines, then lines at random up to the length, then a question. */
export function linePrompts(parts: LinePrompts): (index: number) => Prompt {
  const { seed, lines, before, after } = parts;
  const costs = lines.map((line) => Math.max(1, parts.tokensOf(line)));
  const input = lengthDrawer(parts.input);
  const output = parts.output === null ? null : lengthDrawer(parts.output);
  const frame = (before === '' ? 0 : parts.tokensOf(before)) + (after === '' ? 0 : parts.tokensOf(after));
  const prefix: string[] = [];
  let prefixTokens = 0;
  while (prefix.length < lines.length && prefixTokens + costs[prefix.length]! <= parts.prefixTokens) {
    prefixTokens += costs[prefix.length]!;
    prefix.push(lines[prefix.length]!);
  }
  return (index) => {
    const wanted = input(randomStream(seed, `input length ${index}`));
    const chance = randomStream(seed, `lines ${index}`);
    const chosen = [...prefix];
    let tokens = frame + prefixTokens;
    for (;;) {
      const at = chance.below(lines.length);
      if (tokens + costs[at]! > wanted) break;
      chosen.push(lines[at]!);
      tokens += costs[at]!;
    }
    const text = [before, ...chosen, after].filter((part) => part !== '').join('\n');
    return {
      ...plainPrompt(`lines-${index}`, text),
      inputTokens: tokens,
      maxTokens: output === null ? null : output(randomStream(seed, `output length ${index}`)),
    };
  };
}
