import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../../../core/failure.ts';
import { readWhole } from '../openFile.ts';
import { errorCode } from '../unreadable.ts';
import type { Surroundings } from './homes.ts';

/** A file that may be a transcript. */
export interface Candidate {
	path: string;
	/** Whether the place where it lies says already that it belongs to the folder that was asked for. */
	belongs: boolean;
}

/** Lists one agent's files, those of a folder where the agent keeps them apart, else the newest. */
export type CandidateLister = (around: Surroundings, folder: string | undefined) => Promise<Candidate[]>;

/** Files of one agent that are looked at, where only their content says to which folder they belong. */
export const mostCandidates = 400;

/** The names in a folder, in order; none where it is no folder or may not be read. */
export async function namesIn(folder: string): Promise<string[]> {
	try {
		return (await readdir(folder)).sort();
	} catch (error) {
		if (['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'].includes(errorCode(error))) return [];
		throw error;
	}
}

/** The files in a folder whose names end so, in order. */
export async function filesIn(folder: string, ending: RegExp): Promise<string[]> {
	return (await namesIn(folder)).filter((name) => ending.test(name)).map((name) => join(folder, name));
}

/** Files of which only their content says to which folder they belong. */
export function unsure(paths: readonly string[]): Candidate[] {
	return paths.map((path) => ({ path, belongs: false }));
}

/** Bytes of a file beside the transcripts that are read at most. */
const largestBeside = 16 << 20;

/** The text of a file beside the transcripts; empty where it is not there or may not be read. */
export async function textOfFile(path: string): Promise<string> {
	try {
		return (await readWhole(path, largestBeside)).toString('utf8');
	} catch (error) {
		const isRefused = error instanceof Failure;
		if (isRefused || ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'].includes(errorCode(error))) return '';
		throw error;
	}
}
