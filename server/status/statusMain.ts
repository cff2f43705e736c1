/** The process of `contextd status`, in a bundle of its own that holds no more than it needs. */

import { resolve } from 'node:path';
import { printStatus } from './line.ts';
import { isTerminal } from './pipes.ts';
import { folderFigures } from './status.ts';

void printStatus({
	name: 'status',
	isShown: isTerminal(),
	figures: ({ folder = '.', window }, around) => folderFigures(resolve(folder), around, Date.now(), window),
});
