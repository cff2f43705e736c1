/** The process of `contextd status`, in its own minimal bundle. */

import { resolve } from 'node:path';
import { printStatus } from './line.ts';
import { isTerminal } from './pipes.ts';
import { measureNewestSession } from './status.ts';

void printStatus({
	name: 'status',
	canShowColours: isTerminal(),
	measure: ({ folder = '.', window }, machine) =>
		measureNewestSession(resolve(folder), machine, Date.now(), window),
});
