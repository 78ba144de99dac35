import type { Lang, Phrase } from './phrase.ts';
import { say } from './phrase.ts';

/** Where a mistake stands: a flag, a file with a line, a field. */
export interface Place {
  flag?: string;
  file?: string;
  line?: number;
  field?: string;
}

/** One mistake of the user: what is wrong, where, and what to do about it. */
export interface Mistake {
  /** Stable kebab-case name, listed in docs/reference/errors.md. */
  code: string;
  message: Phrase;
  hint: Phrase;
  place?: Place;
}

/** How the program ends; the meanings are in docs/reference/exit-codes.md. */
export const exitCodes = {
  ok: 0,
  usage: 2,
  unreachable: 3,
  gateFailed: 4,
  notValid: 5,
  brokeOff: 6,
  bug: 70,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Everything the user has to mend before we can go on, all at once; printed only by cli. */
export class UserError extends Error {
  override name = 'UserError';
  readonly mistakes: readonly Mistake[];
  readonly exitCode: number;

  constructor(mistakes: Mistake | readonly Mistake[], exitCode: number = exitCodes.usage) {
    const list = Array.isArray(mistakes) ? (mistakes as readonly Mistake[]) : [mistakes as Mistake];
    super(list.map((m) => describeMistake(m, 'en')).join('\n'));
    this.mistakes = list;
    this.exitCode = exitCode;
  }
}

/** A mistake in words: what is wrong and what to do about it, each in both languages; a place that is a string is a flag. */
export function mistake(
  code: string,
  en: string,
  zh: string,
  hintEn: string,
  hintZh: string,
  place?: Place | string,
): Mistake {
  const where = typeof place === 'string' ? { flag: place } : place;
  return { code, message: { en, zh }, hint: { en: hintEn, zh: hintZh }, ...(where !== undefined && { place: where }) };
}

/** The same as an error, where one mistake is enough to stop. */
export function userError(...said: Parameters<typeof mistake>): UserError {
  return new UserError(mistake(...said));
}

/** Whether plain data from elsewhere is a list of mistakes, at least one. */
export function isMistakes(value: unknown): value is readonly Mistake[] {
  return Array.isArray(value) && value.length > 0 && value.every(isMistake);
}

function isMistake(value: unknown): boolean {
  const { code, message, hint, place = {} } = (value ?? {}) as Partial<Mistake>;
  const isPhrase = (phrase: Partial<Phrase> | undefined): boolean =>
    typeof phrase?.en === 'string' && typeof phrase.zh === 'string';
  return typeof code === 'string' && isPhrase(message) && isPhrase(hint) && typeof place === 'object' && place !== null;
}

/** Whether a program may end with this number to say that something went wrong. */
export function isFailureCode(value: unknown): value is number {
  return value !== exitCodes.ok && Object.values<unknown>(exitCodes).includes(value);
}

/** "file.yaml:3: what is wrong" — the place first, as compilers do. */
export function describeMistake({ message, place }: Mistake, lang: Lang): string {
  const where = [
    place?.file !== undefined ? place.file + (place.line !== undefined ? `:${place.line}` : '') : null,
    place?.flag ?? null,
    place?.field ?? null,
  ].filter((part) => part !== null);
  return (where.length > 0 ? `${where.join(' ')}: ` : '') + say(message, lang);
}

/** What the kernel refused (a file system, a network, a limit) as a mistake to mend: no promise of ours; null = something else. */
export function systemMistake(error: unknown): UserError | null {
  const { errno, syscall, code = '', path } = (error ?? {}) as Record<string, unknown>;
  if (!(error instanceof Error) || typeof errno !== 'number' || typeof syscall !== 'string') return null;
  const said = `${String(code)} (${syscall})`;
  return new UserError(
    mistake(
      'system-error',
      `the system said ${said}`,
      `系统报错 ${said}`,
      'Check the path, its permissions and its file system; what was written before stays.',
      '请检查路径、权限与文件系统；此前写入的内容保留。',
      typeof path === 'string' ? { file: path } : undefined,
    ),
    exitCodes.brokeOff,
  );
}
