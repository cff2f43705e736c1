import { shown } from './shown.ts';

/** What a header block says of the body that follows it. */
export type HeaderBlock =
	| { kind: 'body'; length: number }
	| { kind: 'skip'; length: number; reason: string }
	| { kind: 'broken'; reason: string };

const DIGITS = /^[0-9]{1,15}$/;
const CHARSET = /charset\s*=\s*"?([^\s";]*)/i;

function isUtf8(charset: string): boolean {
	const name = charset.toLowerCase();
	return name === 'utf-8' || name === 'utf8';
}

/**
 * Reads the lines of one header block, without their ends. The length must be plain decimal digits and be
 * given exactly once, else the stream is `broken`: where the body ends is unknown. A block with a good
 * length but a fault elsewhere is `skip`ped with its body.
 * @param bodyBytes the most that a body may hold
 */
export function readHeaderBlock(lines: readonly string[], bodyBytes: number): HeaderBlock {
	let length: number | undefined;
	let fault: string | undefined;
	for (const line of lines) {
		const colon = line.indexOf(':');
		if (colon < 0) {
			fault ??= `expected a header of the form "Name: value", got ${shown(line)}`;
			continue;
		}
		const name = line.slice(0, colon).trim().toLowerCase();
		const value = line.slice(colon + 1).trim();
		if (name === 'content-length') {
			if (length !== undefined) return { kind: 'broken', reason: 'Content-Length is given twice' };
			if (!DIGITS.test(value)) {
				return { kind: 'broken', reason: `Content-Length: expected a number of bytes, got ${shown(value)}` };
			}
			length = Number(value);
		}
		if (name === 'content-type') {
			const charset = CHARSET.exec(value)?.[1];
			if (charset !== undefined && !isUtf8(charset)) {
				fault ??= `Content-Type: expected charset utf-8, got ${shown(charset)}`;
			}
		}
	}
	if (length === undefined) return { kind: 'broken', reason: 'a header block without Content-Length' };
	if (length > bodyBytes) {
		return { kind: 'broken', reason: `a body of ${length} bytes is over the limit of ${bodyBytes} bytes` };
	}
	return fault === undefined ? { kind: 'body', length } : { kind: 'skip', length, reason: fault };
}
