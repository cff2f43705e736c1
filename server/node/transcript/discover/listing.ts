import { readdir } from 'node:fs/promises';
import { errorCode, Failure, ifThere } from '../../../core/failure.ts';
import { readWhole } from '../openFile.ts';

/** A file that may be a transcript. */
export interface Candidate {
	path: string;
	/** Whether the place where it lies says already that it belongs to the folder that was asked for. */
	belongs: boolean;
}

/** Files of one agent that are looked at, where only their content says to which folder they belong. */
export const mostCandidates = 400;

/** The names in a folder, in order; none where it is no folder or may not be read. */
export async function namesIn(folder: string): Promise<string[]> {
	return ((await ifThere(readdir(folder), ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'])) ?? []).sort();
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
