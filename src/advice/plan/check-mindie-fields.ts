import { printable } from '../../core/index.ts';
import type { Remark } from './check-finding.ts';
import { mindieSections, unlistedFields } from './mindie-fields.ts';
import type { FieldRule, MindieSection } from './mindie-fields.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Every field of one section against its rule: missing, wrong type, out of range, mis-cased, unknown. */
export function checkSection(section: MindieSection, fields: Fields): Remark[] {
  const rules: Readonly<Record<string, FieldRule>> = mindieSections[section];
  const where = (key: string): string => (section === '' ? key : `${section}.${key}`);
  const remarks: Remark[] = [];
  for (const [key, rule] of Object.entries(rules)) {
    if (Object.hasOwn(fields, key)) remarks.push(...checkField(where(key), fields[key], rule));
    else if ('required' in rule && rule.required && miscased(fields, key) === undefined)
      remarks.push(missing(where(key)));
  }
  for (const key of Object.keys(fields).slice(0, 200)) {
    if (!Object.hasOwn(rules, key)) remarks.push(...unknownKey(where(printable(key).slice(0, 60)), key, rules));
  }
  return remarks;
}

function checkField(field: string, value: unknown, rule: FieldRule): Remark[] {
  switch (rule.kind) {
    case 'any':
      return [];
    case 'bool':
      return typeof value === 'boolean' ? [] : [wrongType(field, 'true or false', 'true 或 false')];
    case 'text':
      return checkText(field, value, rule);
    case 'int':
      return checkInt(field, value, rule);
  }
}

function checkText(field: string, value: unknown, rule: Extract<FieldRule, { kind: 'text' }>): Remark[] {
  if (typeof value !== 'string') return [wrongType(field, 'a text', '字符串')];
  if (rule.maxChars !== undefined && value.length > rule.maxChars) {
    return [
      wrongType(field, `a text of at most ${rule.maxChars} characters`, `不超过 ${rule.maxChars} 个字符的字符串`),
    ];
  }
  if (rule.oneOf === undefined || rule.oneOf.includes(value)) return [];
  return [wrongType(field, `one of ${rule.oneOf.join(', ')}`, `${rule.oneOf.join('、')} 之一`)];
}

function checkInt(field: string, value: unknown, rule: Extract<FieldRule, { kind: 'int' }>): Remark[] {
  if (typeof value !== 'number' || !Number.isInteger(value)) return [wrongType(field, 'a whole number', '整数')];
  if (rule.also?.includes(value) === true) return [];
  if (value < rule.min || value > rule.max) {
    const also = rule.also === undefined ? '' : ` or ${rule.also.join(', ')}`;
    return [
      {
        code: 'mindie-out-of-range',
        severity: 'invalid',
        field,
        evidence: { value, min: rule.min, max: rule.max },
        en: [`${value} is outside [${rule.min}, ${rule.max}]${also}`, 'the server refuses to start with it'],
        zh: [
          `${value} 超出 [${rule.min}, ${rule.max}]${also === '' ? '' : ` 或 ${rule.also!.join('、')}`}`,
          '服务将拒绝启动',
        ],
      },
    ];
  }
  if (rule.multipleOf === undefined || value % rule.multipleOf === 0) return [];
  return [
    {
      code: 'mindie-not-a-multiple',
      severity: 'invalid',
      field,
      evidence: { value, multipleOf: rule.multipleOf },
      en: [`${value} is not a multiple of ${rule.multipleOf}`, 'blocks are laid out in sixteens: 16, 32, 64 or 128'],
      zh: [`${value} 不是 ${rule.multipleOf} 的倍数`, 'block 按 16 对齐：可取 16、32、64 或 128'],
    },
  ];
}

function wrongType(field: string, en: string, zh: string): Remark {
  return {
    code: 'mindie-wrong-type',
    severity: 'invalid',
    field,
    en: [`must be ${en}`, 'mend the value'],
    zh: [`必须是${zh}`, '请修改该值'],
  };
}

function missing(field: string): Remark {
  return {
    code: 'mindie-missing',
    severity: 'invalid',
    field,
    en: ['is missing', 'the server needs it; take it from the config.json that MindIE ships'],
    zh: ['缺失', '服务启动必需；可参照 MindIE 自带的 config.json'],
  };
}

function miscased(fields: Fields, key: string): string | undefined {
  return Object.keys(fields).find((other) => other !== key && other.toLowerCase() === key.toLowerCase());
}

function unknownKey(field: string, key: string, rules: Readonly<Record<string, FieldRule>>): Remark[] {
  const meant = Object.keys(rules).find((known) => known.toLowerCase() === key.toLowerCase());
  if (meant !== undefined) {
    return [
      {
        code: 'mindie-mis-cased',
        severity: 'invalid',
        field,
        evidence: { meant },
        en: [
          `is not read: the name is ${meant}`,
          'names are case-sensitive; a mis-cased one is ignored and the default taken in its place',
        ],
        zh: [`不会被读取：正确写法是 ${meant}`, '键名区分大小写，写错会被忽略并改用默认值'],
      },
    ];
  }
  if (unlistedFields.test(key)) return [];
  return [
    {
      code: 'mindie-unknown-key',
      severity: 'info',
      field,
      en: ['is not a name we know', 'older and newer versions differ; check it against the parameter page of yours'],
      zh: ['不是已知的键', '不同版本键名不同，请对照所用版本的参数说明'],
    },
  ];
}
