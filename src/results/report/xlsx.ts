import { printable, say } from '../../core/index.ts';
import type { Sweep } from '../../core/index.ts';
import { escapeXml } from './chart/svg.ts';
import { rowsOf } from './csv.ts';
import type { Cell } from './csv.ts';
import { asSweep, pointName, sweepName } from './point-name.ts';
import { isComparison } from './reported.ts';
import type { Reported, ReportOptions } from './reported.ts';
import { zipStored } from './zip.ts';

/**
 * A spreadsheet: one sheet with a row per point and every figure as a number (the columns of the CSV), one with the
 * audit. Text stays text: a cell of a stranger is never a formula.
 */
export function xlsx(what: Reported, options: ReportOptions): Uint8Array {
  const rows = rowsOf(what);
  const head = Object.keys(rows[0]?.cells ?? {});
  const points = [head, ...rows.map(({ cells }) => Object.values(cells))];
  const sheets: [string, Cell[][]][] = [
    [say({ en: 'points', zh: '负载点' }, options.lang), points],
    [say({ en: 'audit', zh: '审计' }, options.lang), findingRows(what, options)],
  ];
  const text = (name: string, xml: string) => ({ name, bytes: new TextEncoder().encode(`${xmlHead}${xml}`) });
  return zipStored([
    text('[Content_Types].xml', contentTypes(sheets.length)),
    text('_rels/.rels', relations([['officeDocument', 'xl/workbook.xml']])),
    text('xl/workbook.xml', workbook(sheets.map(([name]) => name))),
    text(
      'xl/_rels/workbook.xml.rels',
      relations([
        ...sheets.map((_, i): [string, string] => ['worksheet', `worksheets/sheet${i + 1}.xml`]),
        ['styles', 'styles.xml'],
      ]),
    ),
    text('xl/styles.xml', styles),
    ...sheets.map(([, cells], i) => text(`xl/worksheets/sheet${i + 1}.xml`, sheet(cells))),
  ]);
}

function findingRows(what: Reported, { lang }: ReportOptions): Cell[][] {
  const sweeps: readonly Sweep[] = isComparison(what)
    ? what
    : [what.schema === 'llmdyno.sweep/1' ? what : asSweep(what)];
  const head = ['sweep', 'point', 'severity', 'code', 'message', 'advice'];
  const rows = sweeps.flatMap((sweep) =>
    sweep.points.flatMap((point) =>
      point.verdict.findings.map((finding): Cell[] => {
        const { message, advice } = lang === 'zh' ? finding.zh : finding;
        return [sweepName(sweep), pointName(sweep, point), finding.severity, finding.code, message, advice];
      }),
    ),
  );
  return [head, ...rows];
}

const xmlHead = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const officeRelations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packageRelations = 'http://schemas.openxmlformats.org/package/2006/relationships';
const sheetMl = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

function contentTypes(sheets: number): string {
  const parts = [
    ['/xl/workbook.xml', 'sheet.main+xml'],
    ['/xl/styles.xml', 'styles+xml'],
    ...Array.from({ length: sheets }, (_, i) => [`/xl/worksheets/sheet${i + 1}.xml`, 'worksheet+xml']),
  ];
  const overrides = parts
    .map(([name, kind]) => `<Override PartName="${name}" ContentType="${sheetMl}.${kind}"/>`)
    .join('');
  return `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${overrides}</Types>`;
}

function relations(list: readonly (readonly [string, string])[]): string {
  const each = list.map(
    ([kind, target], i) => `<Relationship Id="rId${i + 1}" Type="${officeRelations}/${kind}" Target="${target}"/>`,
  );
  return `<Relationships xmlns="${packageRelations}">${each.join('')}</Relationships>`;
}

function workbook(names: readonly string[]): string {
  const each = names.map((name, i) => `<sheet name="${escapeXml(name)}" sheetId="${i + 1}" r:id="rId${i + 1}"/>`);
  return `<workbook xmlns="${main}" xmlns:r="${officeRelations}"><sheets>${each.join('')}</sheets></workbook>`;
}

/** Style 0 is plain, style 1 bold for the head. */
const styles = `<styleSheet xmlns="${main}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="2"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`;

function sheet(rows: readonly (readonly Cell[])[]): string {
  const data = rows.map(
    (row, r) =>
      `<row r="${r + 1}">${row.map((cell, c) => cellXml(cell, columnName(c) + (r + 1), r === 0)).join('')}</row>`,
  );
  const frozen =
    '<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>';
  return `<worksheet xmlns="${main}">${frozen}<sheetData>${data.join('')}</sheetData></worksheet>`;
}

function cellXml(cell: Cell, at: string, head: boolean): string {
  const style = head ? ' s="1"' : '';
  if (cell === null) return '';
  if (typeof cell === 'number') return Number.isFinite(cell) ? `<c r="${at}"${style}><v>${cell}</v></c>` : '';
  if (typeof cell === 'boolean') return `<c r="${at}" t="b"${style}><v>${cell ? 1 : 0}</v></c>`;
  // 32,767 characters is the most that a cell of a spreadsheet holds.
  return `<c r="${at}" t="inlineStr"${style}><is><t xml:space="preserve">${escapeXml(printable(cell).slice(0, 32_767))}</t></is></c>`;
}

function columnName(index: number): string {
  let name = '';
  for (let rest = index + 1; rest > 0; rest = Math.floor((rest - 1) / 26))
    name = String.fromCodePoint(65 + ((rest - 1) % 26)) + name;
  return name;
}
