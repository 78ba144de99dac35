import { printable, printableLine } from '../../core/index.ts';
import { plainLine, boxCells, isBoxRule } from './box-table.ts';
import type { Complain, ImportProblem } from './imported.ts';
import { means } from './fact-key.ts';
import { PipeTableCollector } from './pipe-table.ts';
import { absorb, repeats } from './same-point.ts';
import type { PointDraft } from './point-draft.ts';
import { Section } from './section.ts';
import { pointsOfTable } from './sweep-table.ts';
import { Surroundings } from './surroundings.ts';
import type { BlockReader, TextFormat } from './text-format.ts';

/** Fences in these languages hold programs and settings, not results. */
const codeLanguages = new Set(
  'python py js javascript ts typescript java go rust c cpp c++ json jsonc yaml yml toml html css sql dockerfile makefile xml ini diff'.split(
    ' ',
  ),
);
/** More points than any document holds: beyond this a file is an attack on memory. */
const mostPoints = 20_000;
const mostProblems = 1000;
/** Longer lines hold data, not log text. */
const longestLine = 100_000;

/** Reads a document or log line by line; holds one open block and the points found so far, nothing else of the file. */
export class DocumentReader {
  readonly problems: ImportProblem[] = [];
  readonly sections: Section[] = [];
  private readonly formats: readonly TextFormat[];
  private readonly file: string;
  private headings: string[] = [];
  private section: Section | null = null;
  private subtitle: string | null = null;
  /** Concurrency announced by the list item above a block ("- parallel 8"). */
  private announced: { digits: string; line: number } | null = null;
  private fence: { mark: string; code: boolean } | null = null;
  private active: { format: TextFormat; reader: BlockReader; lines: BlockLines } | null = null;
  private readonly around = new Surroundings();
  /** The last line of prose under this heading. */
  private prose: { text: string; line: number } | null = null;
  private readonly table = new PipeTableCollector();
  private lineNumber = 0;
  private points = 0;

  constructor(file: string, formats: readonly TextFormat[]) {
    this.file = file;
    this.formats = formats;
  }

  private readonly complain: Complain = (line, message) => {
    if (this.problems.length < mostProblems)
      this.problems.push({ file: this.file, line, message: message.en, zh: message.zh });
  };

  line(raw: string): void {
    this.lineNumber++;
    if (raw.length > longestLine || this.points >= mostPoints) return;
    const text = plainLine(raw).replace(/^(?: {0,3}> ?)+/, '');
    if (this.takeStructure(text)) return;
    if (this.fence?.code === true) return;
    this.around.line(text, this.lineNumber);
    if (this.feedBlock(text)) return;
    if (this.fence === null && !text.includes('|') && text.trim() !== '') this.prose = { text, line: this.lineNumber };
    if (this.table.feed(text, this.lineNumber)) return;
    this.closeTable();
  }

  /** Headings, fences and list items; true = the line is nothing else. */
  private takeStructure(text: string): boolean {
    const fence = /^\s*(`{3,}|~{3,})\s*([\w+-]*)/.exec(text);
    if (fence !== null) {
      this.closeAll();
      if (this.fence === null) this.fence = { mark: fence[1]!, code: codeLanguages.has(fence[2]!.toLowerCase()) };
      else if (fence[1]!.startsWith(this.fence.mark)) this.fence = null;
      return true;
    }
    if (this.fence !== null) return false;
    const heading = /^(#{1,6})\s+(.+?)\s*#*\s*$/.exec(text);
    if (heading !== null) {
      this.closeAll();
      const depth = heading[1]!.length;
      this.headings = this.headings.slice(0, depth - 1);
      while (this.headings.length < depth - 1) this.headings.push('');
      this.headings.push(headingText(heading[2]!));
      this.around.heading(this.headings.at(-1)!, depth, this.lineNumber);
      this.prose = null;
      this.section = null;
      this.subtitle = null;
      this.announced = null;
      return true;
    }
    const bold = /^\s*\*\*(.{1,80})\*\*\s*$/.exec(text);
    if (bold !== null) this.subtitle = bold[1]!;
    const item = /^\s*[-*+]\s*(?:parallels?|并发数?|concurrency)\s*[:：=]?\s*(\d{1,7})\s*$/i.exec(text);
    if (item !== null) this.announced = { digits: item[1]!, line: this.lineNumber };
    return false;
  }

  private feedBlock(text: string): boolean {
    const opening = this.formats.find((format) => format.opens(text));
    if (this.active !== null && opening !== undefined && opening !== this.active.format) this.closeBlock();
    if (this.active === null) {
      if (opening === undefined) return false;
      this.closeTable();
      this.active = { format: opening, reader: opening.reader(this.complain), lines: new BlockLines(this.lineNumber) };
    }
    const said = this.active.reader.feed(text, this.lineNumber);
    if (said !== 'not-mine') this.active.lines.add(text);
    if (said === 'more') return true;
    this.closeBlock();
    if (said === 'done') return true;
    return opening === undefined ? false : this.feedBlock(text);
  }

  private closeBlock(): void {
    if (this.active === null) return;
    const { reader, lines } = this.active;
    this.active = null;
    const drafts = reader.end();
    for (const draft of drafts) {
      this.around.describe(draft);
      draft.before = this.prose;
    }
    this.prose = null;
    if (drafts.length === 1) drafts[0]!.block = lines.upTo(drafts[0]!);
    const rows = drafts.filter((draft) => draft.from === 'table');
    if (rows.length > 0) this.here().addTable(rows);
    for (const draft of drafts) {
      if (draft.from === 'table') continue;
      if (this.announced !== null)
        draft.mention('load.concurrency', this.announced.digits, this.announced.line, 'heading');
      this.announced = null;
      this.here().addBlock(draft);
    }
    this.count(drafts.length);
  }

  private closeTable(): void {
    const table = this.table.take();
    if (table === null) return;
    const drafts = pointsOfTable(table, this.complain);
    if (drafts.length === 0) return;
    const input = /^input\s*[:=]?\s*(\d+)$/i.exec(this.subtitle ?? '');
    for (const draft of drafts) {
      this.around.describe(draft);
      if (this.subtitle !== null) draft.label ??= printable(this.subtitle);
      // People name the rows of such a table by the lengths that came out.
      if (input !== null) draft.asked = { input: input[1]!, output: draft.digits('outputTokens.mean') };
      if (input !== null)
        draft.put(means('server.chunkSize'), { value: Number(input[1]), digits: input[1]!, line: table.line });
    }
    this.here().addTable(drafts);
    this.count(drafts.length);
  }

  private closeAll(): void {
    this.closeBlock();
    this.closeTable();
  }

  private count(more: number): void {
    this.points += more;
    if (this.points >= mostPoints) {
      this.complain(this.lineNumber, {
        en: `more than ${mostPoints} load tests: the rest is not imported`,
        zh: `超过 ${mostPoints} 个测试点：其余部分未导入`,
      });
    }
  }

  private here(): Section {
    if (this.section === null) {
      this.section = new Section(
        this.headings.filter((heading) => heading !== ''),
        this.lineNumber,
      );
      this.sections.push(this.section);
    }
    return this.section;
  }

  /** The sections with points; call once, after the last line. */
  end(): Section[] {
    this.closeAll();
    dropRepeats(this.sections);
    for (const section of this.sections) section.nameVariants();
    return this.sections.filter((section) => section.drafts.length > 0);
  }
}

/** A table that only repeats log blocks of other sections tells of no further tests. */
function dropRepeats(sections: readonly Section[]): void {
  const blocks = sections.flatMap((section) => section.drafts.filter((draft) => draft.from === 'block'));
  if (blocks.length === 0) return;
  const gone = new Set<PointDraft>();
  const used = new Set<PointDraft>();
  for (const row of sections.flatMap((section) => section.drafts.filter((draft) => draft.from === 'table'))) {
    const block = blocks.find((candidate) => !used.has(candidate) && repeats(row, candidate));
    if (block === undefined) continue;
    absorb(block, row);
    used.add(block);
    gone.add(row);
  }
  for (const section of sections) section.remove(gone);
}

/** A heading's words: links by their text, no emphasis marks. */
function headingText(text: string): string {
  return printable(text.replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/\*\*|`/g, '')).slice(0, 200);
}

/** No tool prints a longer block. */
const mostChars = 64 * 1024;

/** The lines of a block while it is being read, so that the tool's own table can be given back as it was printed. */
class BlockLines {
  private readonly first: number;
  private readonly lines: string[] = [];
  private chars = 0;

  constructor(first: number) {
    this.first = first;
  }

  add(text: string): void {
    this.chars += text.length + 1;
    if (this.chars <= mostChars) this.lines.push(printableLine(text));
  }

  /** The block up to its last figure and what closes it, without the log that follows; null = too long to be one. */
  upTo(draft: PointDraft): string | null {
    if (this.chars > mostChars) return null;
    const said = [...draft.facts.values(), ...draft.mentions].map(({ line }) => line);
    let end = said.reduce((last, line) => Math.max(last, line), this.first) - this.first + 1;
    while (end < this.lines.length && continues(this.lines[end]!)) end++;
    return this.lines.slice(0, end).join('\n');
  }
}

/** A rule or another row of a table. */
function continues(line: string): boolean {
  return isBoxRule(line) || boxCells(line) !== null;
}
