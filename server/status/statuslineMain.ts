/** The process of `contextd statusline`, in its own minimal bundle. */

import { printStatus } from './line.ts';
import { runOtherStatusLine } from './otherLine.ts';
import { readInput } from './pipes.ts';
import { statuslineFigures } from './statusline.ts';

let text: string | undefined;
/** Claude Code's input, which can be read only once. */
const input = (): string => {
	text ??= readInput();
	return text;
};

void printStatus({
	name: 'statusline',
	// Claude Code shows the colours of output that it reads from a pipe.
	isShown: true,
	figures: async ({ window }, machine) => statuslineFigures(input(), machine, Date.now(), window),
	above: async ({ below }) => (below === undefined ? '' : runOtherStatusLine(below, input())),
});
