const SAMPLE_UNITS = 4096;
const BINARY_SHARE = 0.1;

/**
 * Whether a text is the dump of something that is no text: more than a tenth of its first and last 4 096
 * units are control characters or the replacement characters that undecodable bytes became. Line ends,
 * tabs, form feeds, backspaces and the escape of terminal colours are text.
 */
export function looksBinary(text: string): boolean {
	const head = text.slice(0, SAMPLE_UNITS);
	const tail = text.slice(Math.max(head.length, text.length - SAMPLE_UNITS));
	return isMostlyControl(head) || isMostlyControl(tail);
}

function isMostlyControl(sample: string): boolean {
	let control = 0;
	for (let index = 0; index < sample.length; index += 1) {
		if (isControl(sample.charCodeAt(index))) control += 1;
	}
	return control > sample.length * BINARY_SHARE;
}

function isControl(unit: number): boolean {
	if (unit === 0xfffd || unit === 0x7f) return true;
	return unit < 0x20 && !(unit >= 0x08 && unit <= 0x0d) && unit !== 0x1b;
}
