/** The process of `contextd statusline`, in its own minimal bundle. */

import { printStatus } from './line.ts';
import { runOtherStatusLine } from './otherLine.ts';
import { readInput } from './pipes.ts';
import { measureHookInput } from './statusline.ts';

let inputText: string | undefined;
/** Claude Code's input, which can be read only once. */
const readInputOnce = (): string => {
	inputText ??= readInput();
	return inputText;
};

void printStatus({
	name: 'statusline',
	// Claude Code shows the colours of output that it reads from a pipe.
	canShowColours: true,
	measure: async ({ window }, machine) => measureHookInput(readInputOnce(), machine, Date.now(), window),
	runOtherLine: async ({ below }) => (below === undefined ? '' : runOtherStatusLine(below, readInputOnce())),
});
