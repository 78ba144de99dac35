import { chartThemes } from './chart/index.ts';
import { escapeXml } from './chart/svg.ts';

/** A chart of a sheet: lines over a column of numbers, a line for each stretch of rows. Columns and rows count from 0, the head is row 0. */
export interface SheetChart {
  x: number;
  y: number;
  lines: readonly { name: string; fromRow: number; toRow: number }[];
}

const drawingMl = 'http://schemas.openxmlformats.org/drawingml/2006';
const officeRelations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
/** A chart's size in cells, and what lies between two. */
const size = { rows: 20, columns: 6, gap: 1 } as const;

/** Where the charts of a sheet lie: one beside the other, from a row on. */
export function drawingXml(charts: readonly SheetChart[], fromRow: number): string {
  const each = charts.map((_, i) => {
    const column = i * (size.columns + size.gap);
    const corner = (name: string, c: number, r: number): string =>
      `<xdr:${name}><xdr:col>${c}</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>${r}</xdr:row><xdr:rowOff>0</xdr:rowOff></xdr:${name}>`;
    return `<xdr:twoCellAnchor>${corner('from', column, fromRow)}${corner('to', column + size.columns, fromRow + size.rows)}<xdr:graphicFrame macro=""><xdr:nvGraphicFramePr><xdr:cNvPr id="${i + 2}" name="chart ${i + 1}"/><xdr:cNvGraphicFramePr/></xdr:nvGraphicFramePr><xdr:xfrm><a:off x="0" y="0"/><a:ext cx="0" cy="0"/></xdr:xfrm><a:graphic><a:graphicData uri="${drawingMl}/chart"><c:chart xmlns:c="${drawingMl}/chart" r:id="rId${i + 1}"/></a:graphicData></a:graphic></xdr:graphicFrame><xdr:clientData/></xdr:twoCellAnchor>`;
  });
  return `<xdr:wsDr xmlns:xdr="${drawingMl}/spreadsheetDrawing" xmlns:a="${drawingMl}/main" xmlns:r="${officeRelations}">${each.join('')}</xdr:wsDr>`;
}

/** One chart; `cell` names the cells of its sheet, `head` what its columns are called. */
export function chartXml(
  { x, y, lines }: SheetChart,
  head: readonly string[],
  cell: (column: number, fromRow: number, toRow: number) => string,
): string {
  const series = lines.map(({ name, fromRow, toRow }, i) => {
    const numbers = (tag: string, column: number): string =>
      `<c:${tag}><c:numRef><c:f>${escapeXml(cell(column, fromRow, toRow))}</c:f></c:numRef></c:${tag}>`;
    return `<c:ser><c:idx val="${i}"/><c:order val="${i}"/><c:tx><c:v>${escapeXml(name)}</c:v></c:tx><c:spPr><a:ln w="22225">${fill(i)}</a:ln></c:spPr><c:marker><c:symbol val="circle"/><c:size val="6"/><c:spPr>${fill(i)}</c:spPr></c:marker>${numbers('xVal', x)}${numbers('yVal', y)}<c:smooth val="0"/></c:ser>`;
  });
  const axis = (own: number, other: number, place: 'b' | 'l', title: string): string =>
    `<c:valAx><c:axId val="${own}"/><c:scaling><c:orientation val="minMax"/><c:min val="0"/></c:scaling><c:delete val="0"/><c:axPos val="${place}"/>${place === 'l' ? '<c:majorGridlines/>' : ''}${titleXml(title)}<c:numFmt formatCode="#,##0" sourceLinked="0"/><c:majorTickMark val="out"/><c:minorTickMark val="none"/><c:tickLblPos val="nextTo"/><c:crossAx val="${other}"/><c:crosses val="autoZero"/></c:valAx>`;
  const legend = lines.length > 1 ? '<c:legend><c:legendPos val="b"/><c:overlay val="0"/></c:legend>' : '';
  return `<c:chartSpace xmlns:c="${drawingMl}/chart" xmlns:a="${drawingMl}/main"><c:chart>${titleXml(head[y]!)}<c:autoTitleDeleted val="0"/><c:plotArea><c:layout/><c:scatterChart><c:scatterStyle val="lineMarker"/><c:varyColors val="0"/>${series.join('')}<c:axId val="1"/><c:axId val="2"/></c:scatterChart>${axis(1, 2, 'b', head[x]!)}${axis(2, 1, 'l', head[y]!)}</c:plotArea>${legend}<c:plotVisOnly val="1"/><c:dispBlanksAs val="gap"/></c:chart></c:chartSpace>`;
}

const colours = chartThemes.light.series.map((colour) => colour.slice(1));

function fill(line: number): string {
  return `<a:solidFill><a:srgbClr val="${colours[line % colours.length]}"/></a:solidFill>`;
}

function titleXml(text: string): string {
  return `<c:title><c:tx><c:rich><a:bodyPr/><a:p><a:pPr><a:defRPr sz="1100"/></a:pPr><a:r><a:rPr lang="en-US" sz="1100"/><a:t>${escapeXml(text)}</a:t></a:r></a:p></c:rich></c:tx><c:overlay val="0"/></c:title>`;
}
