/** The eval set of this repository: handwritten sessions, and a generated one. */

import { type EvalFolder, readEvalFolder } from './evalFolder.ts';
import { longSession } from './set/longSession.ts';

/** Path of the files, relative to the root of the repository. */
const setFolder = 'test/eval/set';

/** Reads the set; the current folder must be the root of the repository. */
export function readEvalSet(): Promise<EvalFolder> {
	return readEvalFolder(setFolder, [longSession()]);
}
