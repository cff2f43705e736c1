/** Reports for terminals that show ASCII alone. */

import { displayWidth } from './width.ts';

/** What stands for each sign of the reports, column by column. */
const asciiSigns: Readonly<Record<string, string>> = Object.fromEntries(
	[
		['█▉▊▋▌', '#####'],
		['▍▎▏', ':::'],
		['░┊■', '.|*'],
		['▁▂▃▄▅▆▇', '_.-=+*%'],
		['⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏', '|/-\\|/-\\|/'],
		['·…→✓–—×', '-~>+--x'],
		['‘’“”', '\'\'""'],
	].flatMap(([signs = '', stand = '']) => [...signs].map((sign, index) => [sign, stand.charAt(index)])),
);

const notAscii = /[^\0-\x7f]/gu;

/** The text in ASCII and as wide as before: our signs as their likes, every other letter as question marks. */
export function asciiText(text: string): string {
	return text.replace(notAscii, (sign) => asciiSigns[sign] ?? '?'.repeat(displayWidth(sign)));
}
