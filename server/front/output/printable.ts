/** Everything that would move a cursor, ring a bell, turn the reading direction or start an escape sequence. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu;

/** A text from outside as it may go to a terminal: one line, each run of control characters one space. */
export function printable(text: string): string {
	return text.replace(UNPRINTABLE, ' ');
}
