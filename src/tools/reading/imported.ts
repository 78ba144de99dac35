import type { Phrase, Summary, Sweep } from '../../core/index.ts';
import type { RequestTimes } from './request-course.ts';

/** Something in a file that could not be read; the rest was. */
export interface ImportProblem {
  file: string;
  /** 1 = first line; 0 = the file as a whole. */
  line: number;
  message: string;
  zh: string;
}

/** A name that a point was given by what stands around it, and where that was read. */
export interface Origin {
  /** `model`, `engine`, `variant`, or a setting. */
  name: string;
  value: string;
  where: 'heading' | 'command' | 'text';
  line: number;
}

/** The load points of one section or file. */
export interface ImportedSweep {
  /** Safe as a folder name. */
  id: string;
  title: string;
  file: string;
  variable: Sweep['variable'];
  points: Summary[];
  /** Of each point, when its requests were sent and heard; empty = the file does not say. */
  requests: (readonly RequestTimes[])[];
  /** Names read around the blocks, each once. */
  origins: Origin[];
}

/** What one file, or several read together, held. */
export interface Imported {
  sweeps: ImportedSweep[];
  problems: ImportProblem[];
}

/** Where readers report what they could not read. */
export type Complain = (line: number, message: Phrase) => void;

/** Collects what could not be read of a file, up to so many. */
export function complaintsOf(file: string, problems: ImportProblem[], most: number): Complain {
  return (line, { en, zh }) => {
    if (problems.length < most) problems.push({ file, line, message: en, zh });
  };
}

/** Said of a row that has not the columns of its table. */
export const raggedRow = {
  inTable: { en: 'table row with another number of cells than its header', zh: '表格行的列数与表头不一致' },
  leftOut: { en: 'row with another number of cells than its header: left out', zh: '行的列数与表头不一致，已忽略' },
  leftOutOfTable: {
    en: 'table row with another number of cells than its header: left out',
    zh: '表格行的列数与表头不一致，已忽略',
  },
} as const satisfies Record<string, Phrase>;
