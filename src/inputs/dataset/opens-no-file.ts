import { builtinQuestionsSpec } from './builtin-questions.ts';

const made = /^(?:random|continuation|sonnet|filler|(?:shared-prefix|images)(?::[a-z]+=[\d.]+(?:,[a-z]+=[\d.]+)*)?)$/;

/** Whether the prompts of a spec are made up or ship with llmdyno: a stranger may name it, no file of this host is read. */
export function opensNoFile(spec: string): boolean {
  return spec === builtinQuestionsSpec || made.test(spec);
}
