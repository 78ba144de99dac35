import type { SettingValue, Settings } from './setting.ts';

/** A formula over settings that was read, as plain data: `min(maxBatchSize/2, 64)`, `maxPrefillBatchSize <= maxBatchSize`. */
export interface Expression {
  text: string;
  /** Names of settings in it. */
  names: readonly string[];
}

/** Why a formula cannot be read. */
export class BadExpression extends Error {
  override name = 'BadExpression';
}

type Node = (settings: Settings) => SettingValue;

const token = /\s*(?:(\d+(?:\.\d+)?)|([A-Za-z_][\w.]*)|(<=|>=|==|!=|&&|\|\||[-+*/%(),<>?:!])|'([^']*)')/y;
const functions: ReadonlyMap<string, (...values: number[]) => number> = new Map([
  ['min', Math.min],
  ['max', Math.max],
  ['floor', Math.floor],
  ['ceil', Math.ceil],
  ['round', Math.round],
]);
const mostTokens = 200;

/** Operators by rising strength; each level binds tighter than the one before. */
const levels: readonly Readonly<Record<string, (a: SettingValue, b: SettingValue) => SettingValue>>[] = [
  { '||': (a, b) => Boolean(a) || Boolean(b) },
  { '&&': (a, b) => Boolean(a) && Boolean(b) },
  {
    '<': (a, b) => numberOf(a) < numberOf(b),
    '>': (a, b) => numberOf(a) > numberOf(b),
    '<=': (a, b) => numberOf(a) <= numberOf(b),
    '>=': (a, b) => numberOf(a) >= numberOf(b),
    '==': (a, b) => a === b,
    '!=': (a, b) => a !== b,
  },
  { '+': (a, b) => numberOf(a) + numberOf(b), '-': (a, b) => numberOf(a) - numberOf(b) },
  {
    '*': (a, b) => numberOf(a) * numberOf(b),
    '/': (a, b) => numberOf(a) / numberOf(b),
    '%': (a, b) => numberOf(a) % numberOf(b),
  },
];

/**
 * Reads a formula: numbers, names, + − * / %, comparisons, && || !, `a ? b : c`, min max floor ceil round, 'words'.
 * A name with dashes is written with underscores: max_num_seqs stands for max-num-seqs too.
 */
export function parseExpression(text: string): Expression {
  const { names, root } = read(text);
  const expression = { text, names };
  roots.set(expression, root);
  return expression;
}

/** What a formula comes to; a name that is not there or a wrong kind gives NaN. */
export function valueOf(expression: Expression, settings: Settings): SettingValue {
  let root = roots.get(expression);
  if (root === undefined) {
    ({ root } = read(expression.text));
    roots.set(expression, root);
  }
  return root(settings);
}

/** Formulas as they were read; one that came from another thread is read again. */
const roots = new WeakMap<Expression, Node>();

function read(text: string): { names: string[]; root: Node } {
  const tokens = tokensOf(text);
  const names = new Set<string>();
  let at = 0;
  const peek = (): string | undefined => tokens[at];
  const take = (wanted: string): void => {
    if (tokens[at] !== wanted) throw new BadExpression(`"${wanted}" is missing in "${text.slice(0, 80)}"`);
    at += 1;
  };

  function choice(): Node {
    const condition = level(0);
    if (peek() !== '?') return condition;
    take('?');
    const yes = choice();
    take(':');
    const no = choice();
    return (s) => (condition(s) ? yes(s) : no(s));
  }

  function level(index: number): Node {
    const operators = levels[index];
    if (operators === undefined) return unary();
    let left = level(index + 1);
    for (let word = peek(); word !== undefined && Object.hasOwn(operators, word); word = peek()) {
      at += 1;
      const [before, after, apply] = [left, level(index + 1), operators[word]!];
      left = (s) => apply(before(s), after(s));
    }
    return left;
  }

  function unary(): Node {
    const word = peek();
    if (word === '-' || word === '!') {
      at += 1;
      const inner = unary();
      return word === '-' ? (s) => -numberOf(inner(s)) : (s) => !inner(s);
    }
    return atom();
  }

  function atom(): Node {
    const word = peek();
    if (word === undefined) throw new BadExpression(`"${text.slice(0, 80)}" ends too early`);
    at += 1;
    if (word === '(') {
      const inner = choice();
      take(')');
      return inner;
    }
    if (/^\d/.test(word)) return () => Number(word);
    if (word.startsWith("'")) return () => word.slice(1);
    if (word === 'true' || word === 'false') return () => word === 'true';
    if (!/^[A-Za-z_]/.test(word)) throw new BadExpression(`"${word}" stands where a value should`);
    return peek() === '(' ? call(word) : named(word);
  }

  function named(word: string): Node {
    names.add(word);
    const dashed = word.replaceAll('_', '-');
    return (s) => (Object.hasOwn(s, word) ? s[word]! : Object.hasOwn(s, dashed) ? s[dashed]! : NaN);
  }

  function call(word: string): Node {
    const known = functions.get(word);
    if (known === undefined) {
      throw new BadExpression(`there is no function "${word}"; there are ${[...functions.keys()].join(', ')}`);
    }
    take('(');
    const parts: Node[] = [];
    while (peek() !== ')') {
      if (parts.length > 0) take(',');
      parts.push(choice());
    }
    take(')');
    return (s) => known(...parts.map((part) => numberOf(part(s))));
  }

  const root = choice();
  if (at < tokens.length) throw new BadExpression(`"${tokens[at]!}" is one word too many`);
  return { names: [...names], root };
}

function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  token.lastIndex = 0;
  while (text.slice(token.lastIndex).trim() !== '') {
    const from = token.lastIndex;
    const found = token.exec(text);
    if (found === null) throw new BadExpression(`"${text.slice(from).trim().slice(0, 20)}" is not understood`);
    tokens.push(found[1] ?? found[2] ?? found[3] ?? `'${found[4]!}`);
    if (tokens.length > mostTokens) throw new BadExpression('the formula is too long');
  }
  return tokens;
}

function numberOf(value: SettingValue): number {
  return typeof value === 'number' ? value : typeof value === 'boolean' ? Number(value) : NaN;
}
