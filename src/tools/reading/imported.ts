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
