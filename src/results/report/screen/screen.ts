import { say } from '../../../core/index.ts';
import type { Lang, Phrase } from '../../../core/index.ts';
import { folded } from '../folded.ts';
import { plainPainter } from '../reported.ts';
import type { Painter, ReportOptions } from '../reported.ts';
import type { Doubt } from '../sentence/doubts.ts';

/** What a first screen is told beside the figures. */
export interface ScreenOptions extends ReportOptions {
  /** The server that was asked; absent or null = nobody says. */
  url?: string | null;
  /** By what word the result is named in commands; absent = it is not kept. */
  kept?: string;
  /** The store that was typed, which commands about the result need again; absent = the usual one. */
  store?: string;
}

/** Where nobody says how wide the terminal is. */
const usualColumns = 80;

/** The frame of a first screen: its width, its painter, and how its lines are broken. */
export interface Frame {
  lang: Lang;
  paint: Painter;
  columns: number;
  fold(line: string): string[];
  say(phrase: Phrase): string;
}

export function frameOf({ lang, paint = plainPainter, columns: given = usualColumns }: ScreenOptions): Frame {
  const columns = Number.isFinite(given) ? given : usualColumns;
  return { lang, paint, columns, fold: (line) => folded(line, columns), say: (phrase) => say(phrase, lang) };
}

/** Doubts in at most so many lines, each with what to do where there is room; how many are left out is said. */
export function doubtLines(doubts: readonly Doubt[], room: number, { paint, fold, say: inLang }: Frame): string[] {
  const head = (severity: Doubt['severity']): Phrase =>
    severity === 'invalid' ? { en: 'NOT VALID', zh: '无效' } : { en: 'Doubt', zh: '存疑' };
  const lines: string[] = [];
  let left = doubts.length;
  for (const { says, where, advice, severity } of doubts) {
    const text = `${inLang(head(severity))}${inLang(where)}${inLang({ en: ': ', zh: '：' })}${inLang(says)}`;
    const whole = fold(`${text}${inLang({ en: ' ', zh: '' })}${inLang(advice)}`.trim());
    const short = whole.length <= 2 ? whole : shortened(fold(text));
    // The last line may be needed for the number of those left out.
    if (lines.length + short.length > room - (left > 1 ? 1 : 0)) break;
    lines.push(...short.map((line) => (severity === 'invalid' ? paint.bad(line) : paint.warn(line))));
    left -= 1;
  }
  if (left > 0)
    lines.push(
      paint.faint(
        inLang({ en: `${left} more doubt${left === 1 ? '' : 's'}: --all`, zh: `另有 ${left} 条存疑：--all` }),
      ),
    );
  return lines;
}

function shortened(lines: readonly string[]): string[] {
  return lines.length <= 2 ? [...lines] : [lines[0]!, `${lines[1]!.replace(/[,;:]?\s*$/, '')} …`];
}
