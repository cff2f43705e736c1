/** The process of `contextd statusline`, in a bundle of its own that holds no more than it needs. */

import { printStatus } from './line.ts';
import { shownByCommand } from './otherLine.ts';
import { readInput } from './pipes.ts';
import { statuslineFigures } from './statusline.ts';

let text: string | undefined;
/** What Claude Code hands over; it can be read but once. */
const input = (): string => {
	text ??= readInput();
	return text;
};

void printStatus({
	name: 'statusline',
	// Claude Code shows the colours of what comes through its pipe.
	isShown: true,
	figures: async ({ window }, around) => statuslineFigures(input(), around, Date.now(), window),
	above: async ({ below }) => (below === undefined ? '' : shownByCommand(below, input())),
});
