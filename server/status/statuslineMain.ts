/** The process of `contextd statusline`, in a bundle of its own that holds no more than it needs. */

import { printStatus } from './line.ts';
import { readInput } from './pipes.ts';
import { statuslineFigures } from './statusline.ts';

void printStatus({
	name: 'statusline',
	// Claude Code shows the colours of what comes through its pipe.
	isShown: true,
	figures: async ({ window }, around) => statuslineFigures(readInput(), around, Date.now(), window),
});
