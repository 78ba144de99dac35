import type { Mistake, Place } from '../../core/index.ts';
import { mistake, printable } from '../../core/index.ts';

const place = (path: string): Place => ({ flag: '--tokenizer', file: printable(path).slice(-240) });

/** Nothing there that could be a tokenizer. */
export function noTokenizer(path: string): Mistake {
  return mistake(
    'tokenizer-not-found',
    'there is no tokenizer.json here',
    '这里没有 tokenizer.json',
    "name the model's folder, or its tokenizer.json; a model with only tokenizer.model is saved again by AutoTokenizer.from_pretrained(…).save_pretrained(…)",
    '请给出模型目录或其中的 tokenizer.json；只有 tokenizer.model 的模型可用 AutoTokenizer.from_pretrained(…).save_pretrained(…) 重新保存',
    place(path),
  );
}

/** A file that is no tokenizer, or one that the library cannot read. */
export function notATokenizer(path: string, why: string): Mistake {
  const words = printable(why).slice(0, 160);
  return mistake(
    'tokenizer-not-one',
    `this is not a tokenizer that can be read (${words})`,
    `这不是可读取的分词器（${words}）`,
    "give the model's own tokenizer.json (Hugging Face format)",
    '请给出模型自带的 tokenizer.json（Hugging Face 格式）',
    place(path),
  );
}

/** A dataset whose rules count tokens, and nothing to count them with. */
export function needsTokenizer(kind: string): Mistake {
  return mistake(
    'tokenizer-needed',
    `"${kind}" chooses prompts by their tokens, and there is no tokenizer to count them`,
    `“${kind}”按 token 数筛选，但没有可用的分词器`,
    "add --tokenizer DIR, the folder of the model's tokenizer.json; openqa:FILE and sharegpt-chat:FILE need none",
    '请加上 --tokenizer 目录（模型的 tokenizer.json 所在目录）；openqa:文件、sharegpt-chat:文件 不需要',
    '--tokenizer',
  );
}
