import type { Mistake } from '../../core/index.ts';
import { mistake, printable } from '../../core/index.ts';

const flag = '--dataset';

/** `shared-prefix:grups=3`. */
export function badPart(kind: string, part: string, names: readonly string[]): Mistake {
  const list = names.map((name) => `${name}=NUMBER`).join(',');
  return {
    code: 'dataset-bad-setting',
    message: {
      en: `"${kind}" does not take "${printable(part).slice(0, 60)}"`,
      zh: `“${kind}”不接受“${printable(part).slice(0, 60)}”`,
    },
    hint:
      list === ''
        ? { en: `write ${kind} alone`, zh: `请只写 ${kind}` }
        : { en: `write ${kind}:${list}`, zh: `请写 ${kind}:${list}` },
    place: { flag },
  };
}

/** `--input-tokens` beside a dataset that has lengths of its own. */
export function lengthsNotTaken(kind: string): Mistake {
  return mistake(
    'settings-disagree',
    `the prompts of "${kind}" have the lengths they have`,
    `“${kind}”的提示词长度由数据决定`,
    'leave --input-tokens out, or use --dataset random, shared-prefix or continuation:FILE',
    '请去掉 --input-tokens，或使用 --dataset random、shared-prefix、continuation:文件',
    '--input-tokens',
  );
}

/** A synthetic_config.json that is none. */
export function badSynthetic(file: string, what: string): Mistake {
  return mistake(
    'dataset-bad-synthetic',
    `not a synthetic_config.json: ${printable(what).slice(0, 120)}`,
    `不是 synthetic_config.json：${printable(what).slice(0, 120)}`,
    'it holds Input and Output, each {"Method": "uniform|gaussian|zipf", "Params": {…}}; see docs/guide/datasets.md',
    '应含 Input、Output，各为 {"Method": "uniform|gaussian|zipf", "Params": {…}}；参见 docs/guide/datasets.md',
    { flag, file: printable(file).slice(-240) },
  );
}

/** A mix that cannot be read. */
export function badMix(text: string): Mistake {
  return mistake(
    'dataset-bad-setting',
    `"${printable(text).slice(0, 80)}" is no mix`,
    `“${printable(text).slice(0, 80)}”不是有效的混合`,
    "write 'mix:3*openqa:chat.jsonl + 1*random': weights and datasets, joined by ' + '",
    "请写 'mix:3*openqa:chat.jsonl + 1*random'：权重*数据集，以“ + ”相连",
    flag,
  );
}

/** Text too short for one chunk of the continuation template. */
export function textTooShort(file: string, chars: number): Mistake {
  return mistake(
    'dataset-text-too-short',
    `the text holds no piece of ${chars} characters`,
    `文本不足一个 ${chars} 字符的片段`,
    'use a longer text or a smaller --input-tokens',
    '请使用更长的文本或更小的 --input-tokens',
    { flag, file: printable(file).slice(-240) },
  );
}

/** A folder without pictures, or one too large to be sent. */
export function noImages(path: string): Mistake {
  return mistake(
    'dataset-no-images',
    'no picture here that can be sent',
    '这里没有可发送的图片',
    'name a folder with .png, .jpg, .webp or .gif files of at most 20 MiB, or write images:width=448,height=448',
    '请指定含 .png、.jpg、.webp、.gif（每个不超过 20 MiB）的目录，或写 images:width=448,height=448',
    { flag, file: printable(path).slice(-240) },
  );
}
