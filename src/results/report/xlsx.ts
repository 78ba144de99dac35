import { cellsOf, printable } from '../../core/index.ts';
import type { Comparison } from '../measure/index.ts';
import { escapeXml } from './chart/svg.ts';
import type { Cell } from './csv.ts';
import type { Reported, ReportOptions } from './reported.ts';
import { sheetsOf } from './sheets.ts';
import { chartXml, drawingXml } from './xlsx-chart.ts';
import type { CellFormat, Sheet } from './sheets.ts';
import { zipStored } from './zip.ts';

/**
 * A spreadsheet: the comparison where it is one, a row per point with names and units and the charts over the load, every figure by the names
 * of the CSV, the audit.
 * Numbers are numbers; each sheet has its head frozen and a filter. Text stays text: a cell of a stranger is never a formula.
 */
export function xlsx(what: Reported, { lang }: ReportOptions, comparison: Comparison | null = null): Uint8Array {
  const sheets = sheetsOf(what, lang, comparison);
  const text = (name: string, xml: string) => ({ name, bytes: new TextEncoder().encode(`${xmlHead}${xml}`) });
  const charts = sheets.flatMap((sheet, i) => (sheet.charts ?? []).map((chart) => ({ chart, sheet, at: i + 1 })));
  const drawn = sheets.flatMap(({ charts: own = [] }, i) => (own.length > 0 ? [i + 1] : []));
  return zipStored([
    text('[Content_Types].xml', contentTypes(sheets.length, drawn, charts.length)),
    text('_rels/.rels', relations([['officeDocument', 'xl/workbook.xml']])),
    text('xl/workbook.xml', workbook(sheets)),
    text(
      'xl/_rels/workbook.xml.rels',
      relations([
        ...sheets.map((_, i): [string, string] => ['worksheet', `worksheets/sheet${i + 1}.xml`]),
        ['styles', 'styles.xml'],
      ]),
    ),
    text('xl/styles.xml', styles),
    ...sheets.map((one, i) => text(`xl/worksheets/sheet${i + 1}.xml`, sheetXml(one))),
    ...drawn.flatMap((at) => {
      const { charts: own = [], rows } = sheets[at - 1]!;
      const numbers = charts.flatMap((one, i) => (one.at === at ? [i + 1] : []));
      return [
        text(`xl/worksheets/_rels/sheet${at}.xml.rels`, relations([['drawing', `../drawings/drawing${at}.xml`]])),
        text(`xl/drawings/drawing${at}.xml`, drawingXml(own, rows.length + 2)),
        text(
          `xl/drawings/_rels/drawing${at}.xml.rels`,
          relations(numbers.map((n): [string, string] => ['chart', `../charts/chart${n}.xml`])),
        ),
      ];
    }),
    ...charts.map(({ chart, sheet }, i) =>
      text(
        `xl/charts/chart${i + 1}.xml`,
        chartXml(chart, sheet.head, (column, fromRow, toRow) => {
          const name = columnName(column);
          return `'${sheet.name}'!$${name}$${fromRow + 1}:$${name}$${toRow + 1}`;
        }),
      ),
    ),
  ]);
}

const xmlHead = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const officeRelations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packageRelations = 'http://schemas.openxmlformats.org/package/2006/relationships';
const office = 'application/vnd.openxmlformats-officedocument';
const sheetMl = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

function contentTypes(sheets: number, drawn: readonly number[], charts: number): string {
  const parts = [
    ['/xl/workbook.xml', 'sheet.main+xml'],
    ['/xl/styles.xml', 'styles+xml'],
    ...Array.from({ length: sheets }, (_, i) => [`/xl/worksheets/sheet${i + 1}.xml`, 'worksheet+xml']),
  ];
  const overrides = parts
    .map(([name, kind]) => `<Override PartName="${name}" ContentType="${sheetMl}.${kind}"/>`)
    .concat(
      drawn.map((at) => `<Override PartName="/xl/drawings/drawing${at}.xml" ContentType="${office}.drawing+xml"/>`),
      Array.from(
        { length: charts },
        (_, i) => `<Override PartName="/xl/charts/chart${i + 1}.xml" ContentType="${office}.drawingml.chart+xml"/>`,
      ),
    )
    .join('');
  return `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${overrides}</Types>`;
}

function relations(list: readonly (readonly [string, string])[]): string {
  const each = list.map(
    ([kind, target], i) => `<Relationship Id="rId${i + 1}" Type="${officeRelations}/${kind}" Target="${target}"/>`,
  );
  return `<Relationships xmlns="${packageRelations}">${each.join('')}</Relationships>`;
}

function workbook(sheets: readonly Sheet[]): string {
  const each = sheets.map(({ name }, i) => `<sheet name="${escapeXml(name)}" sheetId="${i + 1}" r:id="rId${i + 1}"/>`);
  // A filter needs its range under this name too, or some programs do not show it.
  const filters = sheets.map(
    (one, i) =>
      `<definedName name="_xlnm._FilterDatabase" localSheetId="${i}" hidden="1">'${escapeXml(one.name)}'!${rangeOf(one, '$')}</definedName>`,
  );
  return `<workbook xmlns="${main}" xmlns:r="${officeRelations}"><sheets>${each.join('')}</sheets><definedNames>${filters.join('')}</definedNames></workbook>`;
}

/** The number format of each way to show a cell; the style of a column is its place here, and the last one is bold for the head. */
const numberFormats = { plain: 0, count: 3, two: 4, three: 164, percent: 165 } as const satisfies Record<
  CellFormat,
  number
>;
const formatNames = Object.keys(numberFormats) as CellFormat[];
const headStyle = formatNames.length;

const styles = `<styleSheet xmlns="${main}"><numFmts count="2"><numFmt numFmtId="164" formatCode="#,##0.000"/><numFmt numFmtId="165" formatCode="0.0%"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="${headStyle + 1}">${formatNames.map((name) => `<xf numFmtId="${numberFormats[name]}" fontId="0" fillId="0" borderId="0" xfId="0"${name === 'plain' ? '' : ' applyNumberFormat="1"'}/>`).join('')}<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`;

function sheetXml(sheet: Sheet): string {
  const { head, formats, rows } = sheet;
  const columns = head.map(
    (_, c) => `<col min="${c + 1}" max="${c + 1}" width="${widthOf(sheet, c)}" customWidth="1"/>`,
  );
  const data = [head, ...rows].map((row, r) => {
    const cells = row.map((cell, c) => {
      const style = r === 0 ? headStyle : typeof cell === 'number' ? formatNames.indexOf(formats[c]!) : 0;
      return cellXml(cell, columnName(c) + (r + 1), style);
    });
    return `<row r="${r + 1}">${cells.join('')}</row>`;
  });
  const frozen =
    '<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>';
  const drawing = (sheet.charts ?? []).length === 0 ? '' : '<drawing r:id="rId1"/>';
  const filter = head.length === 0 ? '' : `<autoFilter ref="${rangeOf(sheet, '')}"/>`;
  return `<worksheet xmlns="${main}" xmlns:r="${officeRelations}">${frozen}${head.length === 0 ? '' : `<cols>${columns.join('')}</cols>`}<sheetData>${data.join('')}</sheetData>${filter}${drawing}</worksheet>`;
}

/** Head and rows of a sheet, as `A1:D9` or `$A$1:$D$9`. */
function rangeOf({ head, rows }: Sheet, fixed: '' | '$'): string {
  return `${fixed}A${fixed}1:${fixed}${columnName(Math.max(0, head.length - 1))}${fixed}${rows.length + 1}`;
}

const widest = 60;

/** As wide as the head with its filter button and the widest cell; a number takes at most so many places. */
function widthOf({ head, rows }: Sheet, column: number): number {
  const cells = rows.map((row) => {
    const cell = row[column] ?? null;
    return typeof cell === 'string' ? cellsOf(printable(cell)) : 11;
  });
  return Math.min(widest, Math.max(cellsOf(head[column]!) + 3, ...cells.map((cell) => cell + 1)));
}

function cellXml(cell: Cell, at: string, number: number): string {
  const style = number === 0 ? '' : ` s="${number}"`;
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
