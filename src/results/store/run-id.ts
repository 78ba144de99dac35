import { randomBytes } from 'node:crypto';

const safeName = /^[0-9A-Za-z][0-9A-Za-z._-]{0,120}$/;

/** Whether a word can be the name of a folder of the store: no separators, no leading dot, plain characters. */
export function isSafeName(word: string): boolean {
  return safeName.test(word) && !word.includes('..');
}

/** A new id that sorts by time: `20261115-042312-3f9a`, then what of the label is plain ASCII. */
export function newRunId(startedAt: string, label: string | null): string {
  const [date = '', time = ''] = new Date(startedAt).toISOString().split('T');
  const stamp = `${date.replaceAll('-', '')}-${time.slice(0, 8).replaceAll(':', '')}`;
  const slug = (label ?? '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replaceAll(/^-|-$/g, '');
  return [stamp, randomBytes(2).toString('hex'), slug].filter((part) => part !== '').join('-');
}
