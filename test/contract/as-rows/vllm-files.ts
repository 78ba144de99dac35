import type { Ran, Shown } from '../as-run.ts';

const saved =
  (name: string, ...fields: string[]) =>
  async (ran: Ran): Promise<unknown[]> => {
    const document = JSON.parse(await ran.read(name)) as Record<string, unknown>;
    return fields.map((field) => document[field]);
  };

/** The flags about the file that a result is kept in. */
export const vllmFileRows: readonly Shown[] = [
  {
    flag: '--save-result',
    words: '--num-prompts 2 --save-result --result-filename a.json',
    effect: saved('a.json', 'completed', 'num_prompts'),
    expected: [2, 2],
  },
  {
    flag: '--save-detailed',
    words: '--num-prompts 1 --save-result --save-detailed --result-filename b.json',
    effect: saved('b.json', 'generated_texts', 'output_lens', 'input_lens'),
    expected: [['Hello there'], [2], [5]],
  },
  {
    flag: '--append-result',
    words: '--num-prompts 1 --save-result --append-result --result-filename kept.json',
    effect: async (ran) =>
      (await ran.read('kept.json')).split('\n').map((line) => (JSON.parse(line) as { completed: number }).completed),
    expected: [7, 1],
  },
  {
    flag: '--metadata',
    words: '--num-prompts 1 --save-result --result-filename c.json --metadata gpu=none tp=1',
    effect: saved('c.json', 'gpu', 'tp'),
    expected: ['none', '1'],
  },
  {
    flag: '--label',
    words: '--num-prompts 1 --save-result --result-dir DIR/labelled --label mine',
    effect: async (ran) => (await ran.list('labelled'))[0]!.split('-').slice(0, 2),
    expected: ['mine', 'infqps'],
  },
  {
    flag: '--result-dir',
    words: '--num-prompts 1 --save-result --result-dir DIR/res --result-filename d.json',
    effect: (ran) => ran.list('res'),
    expected: ['d.json'],
  },
  {
    flag: '--result-filename',
    words: '--num-prompts 1 --save-result --result-filename e.json',
    effect: saved('e.json', 'model_id', 'endpoint_type'),
    expected: ['m', 'openai'],
  },
  {
    flag: '--tokenizer',
    words:
      '--num-prompts 1 --dataset-name random --input-len 4 --tokenizer ESTIMATE --save-result --result-filename f.json',
    effect: async (ran) => [
      String((await saved('f.json', 'tokenizer_id')(ran))[0]).endsWith('/tokenizers/estimate'),
      ran.err.includes('no tokenizer.json'),
    ],
    expected: [true, false],
  },
];
