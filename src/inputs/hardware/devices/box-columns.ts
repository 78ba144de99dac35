/** What stands in a column of a boxed table. Pairs are `used / total`. */
export type ColumnKind =
  | 'index'
  | 'card'
  | 'chip'
  | 'logical'
  | 'name'
  | 'health'
  | 'state'
  | 'bus'
  | 'aicore'
  | 'utilization'
  | 'power'
  | 'watts'
  | 'wattsPair'
  | 'temperature'
  | 'celsius'
  | 'memoryMb'
  | 'hbmMb'
  | 'memory'
  | 'pages'
  | 'otherMemory'
  | 'pid'
  | 'processName'
  | 'processMemory'
  | 'otherPid'
  | 'word';

/** Header words in lower case, longest first where one begins another; a word that is not here is a column that nobody reads. */
const vocabulary: Readonly<Record<string, ColumnKind>> = {
  'volatile uncorr. ecc': 'word',
  'volatile uncor-events': 'word',
  'process id in container': 'otherPid',
  'process memory(mb)': 'processMemory',
  'process name': 'processName',
  'process id': 'pid',
  'gpu memory': 'processMemory',
  'aip memory': 'word',
  'compute m.': 'state',
  'mig m.': 'state',
  'hugepages-usage(page)': 'pages',
  'memory-usage(mb)': 'memoryMb',
  'hbm-usage(mb)': 'hbmMb',
  'vmemory-usage': 'otherMemory',
  'memory-usage': 'memory',
  'pwr:usage/cap': 'wattsPair',
  'chip-logic-id': 'word',
  'phy-id': 'logical',
  device: 'logical',
  chip: 'chip',
  npu: 'index',
  gpu: 'index',
  aip: 'index',
  card: 'index',
  board: 'card',
  name: 'name',
  health: 'health',
  'bus-id': 'bus',
  'aicore(%)': 'aicore',
  'power(w)': 'power',
  'temp(c)': 'temperature',
  power: 'watts',
  temp: 'celsius',
  'gpu-util': 'utilization',
  'aip-util': 'utilization',
  util: 'utilization',
  'gpu-state': 'state',
  perf: 'word',
  fan: 'word',
  'persistence-m': 'word',
  'persist-m': 'word',
  'sgpu-m': 'word',
  'disp.a': 'word',
  'clock-sm': 'word',
  'clock-mem': 'word',
  vf: 'word',
  firmware: 'word',
  inited: 'word',
  driver: 'word',
  'ecc-error': 'word',
  'sr-iov': 'word',
  'compute-mode': 'word',
  pid: 'pid',
  type: 'word',
  gi: 'word',
  ci: 'word',
  'usage(mib)': 'processMemory',
  usage: 'processMemory',
  id: 'word',
  名称: 'name',
  健康状态: 'health',
  '功率(w)': 'power',
  '温度(c)': 'temperature',
  芯片: 'chip',
};

const multiWord = Object.keys(vocabulary).filter((word) => word.includes(' '));

/** One word of a header and what it means; `known` = it is in the vocabulary. */
export interface HeaderWord {
  text: string;
  kind: ColumnKind;
  known: boolean;
}

/** The words of one header cell in order, whatever their spacing. */
export function headerWords(cell: string): HeaderWord[] {
  let text = cell.toLowerCase().replaceAll(/\s+/g, ' ').trim();
  for (const word of multiWord) text = text.replaceAll(word, word.replaceAll(' ', '\u0001'));
  return text
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => {
      const kind = Object.hasOwn(vocabulary, word.replaceAll('\u0001', ' '))
        ? vocabulary[word.replaceAll('\u0001', ' ')]
        : undefined;
      return { text: word.replaceAll('\u0001', ' '), kind: kind ?? 'word', known: kind !== undefined };
    });
}

/** Whether a row of cells is a header: two words that tables use, and no number standing alone. */
export function isHeaderRow(cells: readonly string[], continues: boolean): boolean {
  if (cells.some((cell) => /(?:^|\s)\d+(?:\.\d+)?(?:\s|$|%)/.test(cell))) return false;
  const known = cells.flatMap(headerWords).filter((word) => word.known).length;
  return known >= 2 || (continues && known >= 1);
}
