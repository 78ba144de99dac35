// How long the suite took here the last time, whole and file by file; kept beside the installed packages, so that it goes with them.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { root } from './steps.mjs';

const folder = `${root}node_modules/.cache/llmdyno`;
const fileOf = (size) => `${folder}/${size}-times.json`;

/** What the suite of that size will take here, in words. */
export function expectedTime(size) {
  try {
    const { seconds, ended } = JSON.parse(readFileSync(fileOf(size), 'utf8'));
    return `expected: ${inMinutes(seconds)}, as long as the last time here (${ended})`;
  } catch {
    return 'expected: not known before it has run here once (on two cores some 11 minutes, the long size hours); a line tells each file as it ends';
  }
}

/** Keeps what the suite took, and says which files took the longest. */
export function keepTimes(size, seconds, files) {
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(fileOf(size), JSON.stringify({ seconds, ended: new Date().toISOString(), files }, null, 1));
  } catch {
    // Packages that cannot be written beside: the next call will not know.
  }
  const slowest = Object.entries(files)
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, 10);
  return `took ${inMinutes(seconds)}; the longest: ${slowest.map(([file, s]) => `${file} ${s.toFixed(0)} s`).join(', ')}`;
}

function inMinutes(seconds) {
  return seconds < 90 ? `${seconds.toFixed(0)} s` : `${(seconds / 60).toFixed(1)} minutes`;
}
