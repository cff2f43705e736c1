/** Recognizes lines of code and hits of searches, whose marks end no sentences. */

import { tuning } from '../../compact/tuning.ts';

/** The file and line number before a hit of a search: `src/tides.ts:69:`. */
const hitPattern = /^(?=[^:\s]{0,300}[./\\])(?:[A-Za-z]:)?[^:\s]{1,300}:\d{1,7}:/;
const codeEndPattern = /(?:[;{}>]|["'`)\]],)$/;
/** A text in quotation marks as an argument or a value. */
const quotedValuePattern = /[(=:[,] ?["'`]/;

/** Whether a line, without white space around it, is code or a hit of a search. Of long lines, only hits in code are. */
export function isCodeLine(line: string): boolean {
	const isHit = hitPattern.test(line);
	if (line.length > tuning.lengths.maxDataLine) return isHit && codeEndPattern.test(line);
	return isHit || (codeEndPattern.test(line) && quotedValuePattern.test(line));
}
