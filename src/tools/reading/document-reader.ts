import { printable, printableLine } from '../../core/index.ts';
import { plainLine, boxCells, isBoxRule } from './box-table.ts';
import { complaintsOf } from './imported.ts';
import type { Complain, ImportProblem } from './imported.ts';
import { means } from './fact-key.ts';
import { HtmlTableCollector } from './html-table.ts';
import { PipeTableCollector } from './pipe-table.ts';
import type { PipeTable } from './pipe-table.ts';
import { absorb, repeats } from './same-point.ts';
import type { PointDraft } from './point-draft.ts';
import { Section } from './section.ts';
import { pointsOfTable } from './sweep-table.ts';
import { Surroundings } from './surroundings.ts';
import type { BlockReader, TextFormat } from './file-format.ts';

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
  private headings: string[] = [];
  private section: Section | null = null;
  private subtitle: string | null = null;
  /** Concurrency announced by the list item above a block ("- parallel 8"). */
  private announced: { digits: string; line: number } | null = null;
  private fence: { mark: string; code: boolean } | null = null;
  private active: OpenBlock | null = null;
  /** A block whose fence was closed: the next one may go on with it. */
  private held: OpenBlock | null = null;
  private readonly around = new Surroundings();
  /** The last line of prose under this heading. */
  private prose: { text: string; line: number } | null = null;
  private readonly table = new PipeTableCollector();
  private readonly htmlTable = new HtmlTableCollector();
  private afterBlank = true;
  private lineNumber = 0;
  private points = 0;

  private readonly complain: Complain;

  constructor(
    file: string,
    private readonly formats: readonly TextFormat[],
  ) {
    this.complain = complaintsOf(file, this.problems, mostProblems);
  }

  line(raw: string): void {
    this.lineNumber++;
    if (raw.length > longestLine || this.points >= mostPoints) return;
    const text = plainLine(raw).replace(/^(?: {0,3}> ?)+/, '');
    this.readLine(text);
    this.afterBlank = text.trim() === '';
  }

  private readLine(text: string): void {
    if (this.takeStructure(text)) return;
    if (this.fence?.code === true) return;
    if (this.held !== null && !this.goesOn(this.held, text)) this.closeBlock();
    this.around.line(text, this.lineNumber);
    if (this.fence === null && this.active === null && this.htmlTable.feed(text, this.lineNumber)) {
      this.takeHtmlTable(false);
      return;
    }
    if (this.feedBlock(text)) return;
    if (this.fence === null && !text.includes('|') && text.trim() !== '') this.prose = { text, line: this.lineNumber };
    if (this.table.feed(text, this.lineNumber)) return;
    this.closeTable();
  }

  /** Whether a line lets a held block wait, or is its next one. */
  private goesOn(held: OpenBlock, text: string): boolean {
    if (text.trim() === '') return true;
    if (this.fence === null) return text.length < 80 && !/[|<]|^\s*(?:[-*+#]|\d+[.)、])/.test(text);
    if (held.reader.continues?.(text) !== true) return false;
    this.active = held;
    this.held = null;
    return true;
  }

  /** Headings, fences and list items; true = the line is nothing else. */
  private takeStructure(text: string): boolean {
    const fence = /^\s*(`{3,}|~{3,})\s*([\w+-]*)/.exec(text);
    if (fence !== null) {
      const [, mark, language] = fence;
      const closes = this.fence !== null && mark!.startsWith(this.fence.mark);
      // Only an opening fence names a language: the one before it lost its end.
      if (this.fence === null || (closes && language !== '')) {
        if (this.fence !== null) this.closeAll();
        this.closeTable();
        this.fence = { mark: mark!, code: codeLanguages.has(language!.toLowerCase()) };
      } else if (closes) {
        this.hold();
        this.fence = null;
      }
      return true;
    }
    const heading = /^(#{1,6})\s+(.+?)\s*#*\s*$/.exec(text);
    if (this.fence !== null) {
      // No program has such a line after a blank one: the fence lost its end.
      if (heading === null || heading[1]!.length < 2 || !this.afterBlank || this.active !== null) return false;
      this.fence = null;
    }
    const load = announcedLoad(text);
    if (load !== null) {
      this.closeAll();
      this.announced = { digits: load, line: this.lineNumber };
      return heading !== null;
    }
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
    return false;
  }

  private feedBlock(text: string): boolean {
    const opening = this.formats.find((format) => format.opens(text));
    if (this.active !== null && opening !== undefined && opening !== this.active.format) this.closeBlock();
    if (this.active === null) {
      if (opening === undefined) return false;
      this.closeTable();
      this.active = {
        format: opening,
        reader: opening.reader(this.complain),
        lines: new BlockLines(this.lineNumber),
        before: this.prose,
      };
      this.prose = null;
    }
    const said = this.active.reader.feed(text, this.lineNumber);
    if (said !== 'not-mine') this.active.lines.add(text);
    if (said === 'more') return true;
    this.closeBlock();
    if (said === 'done') return true;
    return opening === undefined ? false : this.feedBlock(text);
  }

  private hold(): void {
    if (this.held !== null) this.closeBlock();
    this.held = this.active;
    this.active = null;
    this.closeTable();
  }

  private closeBlock(): void {
    const block = this.held ?? this.active;
    if (block === null) return;
    if (this.held === null) this.active = null;
    this.held = null;
    const { reader, lines, before } = block;
    const drafts = reader.end();
    for (const draft of drafts) {
      this.around.describe(draft);
      draft.before = before;
    }
    if (drafts.length === 1) drafts[0]!.block = lines.upTo(drafts[0]!);
    const rows = drafts.filter((draft) => draft.from === 'table');
    if (rows.length > 0) this.here().addTable(rows);
    for (const draft of drafts) {
      if (draft.from === 'table') continue;
      if (this.announced !== null) this.sayLoad(draft, this.announced.digits, this.announced.line);
      this.announced = null;
      this.here().addBlock(draft);
    }
    this.count(drafts.length);
  }

  /** What the words above a block say of its load: a mention, or the figure where the block has none. */
  private sayLoad(draft: PointDraft, digits: string, line: number): void {
    if (draft.facts.has('load.concurrency')) draft.mention('load.concurrency', digits, line, 'heading');
    else draft.put(means('load.concurrency'), { value: Number(digits), digits, line });
    draft.kind ??= 'closed';
  }

  private takeHtmlTable(over: boolean): void {
    const table = this.htmlTable.take(over);
    if (table !== null) this.addTable(table);
  }

  private closeTable(): void {
    const table = this.table.take();
    if (table !== null) this.addTable(table);
  }

  private addTable(table: PipeTable): void {
    const about = [...this.headings, this.prose?.text ?? '', this.subtitle ?? ''].join(' ');
    const drafts = pointsOfTable(table, this.complain, about);
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
      this.section = new Section(this.headings.filter((heading) => heading !== ''));
      this.sections.push(this.section);
    }
    return this.section;
  }

  /** The sections with points; call once, after the last line. */
  end(): Section[] {
    this.takeHtmlTable(true);
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

/** "- parallel 8", "**并发 8：**", "#### concurrency = 8", "32 并发": the load that a line says the next block was run at. */
function announcedLoad(text: string): string | null {
  if (text.length > 80) return null;
  const bare = text.replaceAll('**', '').replace(/^\s*(?:#{1,6}\s|[-*+]\s?|\d+[.)、]\s?)\s*/, '');
  if (bare === text && !text.includes('并发')) return null;
  const match =
    /^\s*(?:parallels?|并发数?|并行数?|concurrency)\s*[:：=为]?\s*(\d{1,7})\s*[:：]?\s*$/i.exec(bare) ??
    /^\s*(\d{1,7})\s*(?:个?并发|路并发)\s*[:：]?\s*$/.exec(bare);
  return match?.[1] ?? null;
}

/** A heading's words: links by their text, no emphasis marks. */
function headingText(text: string): string {
  return printable(text.replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/\*\*|`/g, '')).slice(0, 200);
}

/** A block that is being read. */
interface OpenBlock {
  format: TextFormat;
  reader: BlockReader;
  lines: BlockLines;
  /** The last line of prose above it. */
  before: { text: string; line: number } | null;
}

/** No tool prints a longer block. */
const mostChars = 64 * 1024;

/** The lines of a block while it is being read, so that the tool's own table can be given back as it was printed. */
class BlockLines {
  private readonly lines: string[] = [];
  private chars = 0;

  constructor(private readonly first: number) {}

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
