/** The eval set of this repository: written sessions, and one that is generated. */

import { type EvalFolder, readEvalFolder } from './evalFolder.ts';
import { longSession } from './set/longSession.ts';

/** Where the files are, from the root of the repository. */
const setFolder = 'test/eval/set';

/** Reads the set; the current folder must be the root of the repository. */
export function readEvalSet(): Promise<EvalFolder> {
	return readEvalFolder(setFolder, [longSession()]);
}
