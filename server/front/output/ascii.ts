/** Reports for terminals that show ASCII alone. */

import { displayWidth } from './width.ts';

/** What stands for each sign of the reports, column by column. */
const SIGNS: Readonly<Record<string, string>> = Object.fromEntries(
	[
		['█▉▊▋▌', '#####'],
		['▍▎▏', ':::'],
		['░┊■', '.|*'],
		['▁▂▃▄▅▆▇', '_.-=+*%'],
		['⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏', '|/-\\|/-\\|/'],
		['·…→✓–—×', '-~>+--x'],
		['‘’“”', '\'\'""'],
	].flatMap(([signs = '', stand = '']) => [...signs].map((sign, at) => [sign, stand.charAt(at)])),
);

const NOT_ASCII = /[^\0-\x7f]/gu;

/** The text in ASCII and as wide as before: our signs as their likes, every other letter as question marks. */
export function asciiText(text: string): string {
	return text.replace(NOT_ASCII, (sign) => SIGNS[sign] ?? '?'.repeat(displayWidth(sign)));
}
