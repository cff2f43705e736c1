import type { Complain, Piece } from './splitter.ts';

/** An object of unknown fields. */
export type Fields = Record<string, unknown>;

/** A value of the input, and where it stands. */
export interface ReadValue {
	/** A header is an object without a role: it tells of the session and is no message. */
	kind: 'message' | 'header';
	fields: Fields;
	line: number;
	/** UTF-16 units of its text. */
	size: number;
}

function kindOf(value: unknown): string {
	if (value === null) return 'null';
	if (Array.isArray(value)) return 'an array';
	return `a ${typeof value}`;
}

/** Where in its text a value is broken, as line and column of the input. */
function placeOf(offset: number, piece: Piece): { line: number; column: number } {
	const before = piece.text.slice(0, offset);
	const lines = before.split('\n');
	return { line: piece.line + lines.length - 1, column: (lines.at(-1)?.length ?? 0) + 1 };
}

function notJson(error: SyntaxError, piece: Piece, complain: Complain): Error {
	const [problem = ''] = error.message.split(/,? (?:in JSON at position|"|\.\.\."|is not valid JSON)/);
	const offset = /at position (\d+)/.exec(error.message)?.[1];
	const sentence = `not valid JSON: ${problem}`;
	if (offset === undefined) return complain(sentence, piece.line);
	const { line, column } = placeOf(Number(offset), piece);
	return complain(sentence, line, column);
}

/** Milliseconds of a time that was written as text; anything else as it is, for the daemon to judge. */
function timeOf(timestamp: unknown): unknown {
	if (typeof timestamp !== 'string') return timestamp;
	const time = Date.parse(timestamp);
	return Number.isNaN(time) ? timestamp : time;
}

/** Reads one value of the input; fails with its line where it is no JSON object. */
export function readValue(piece: Piece, complain: Complain): ReadValue {
	let value: unknown;
	try {
		value = JSON.parse(piece.text);
	} catch (error) {
		if (!(error instanceof SyntaxError)) throw error;
		throw notJson(error, piece, complain);
	}
	if (typeof value !== 'object' || value === null || Array.isArray(value)) {
		throw complain(`expected a message as a JSON object, got ${kindOf(value)}`, piece.line);
	}
	const fields = value as Fields;
	const place = { line: piece.line, size: piece.text.length };
	if (!('role' in fields)) return { kind: 'header', fields, ...place };
	if (typeof fields.timestamp === 'string') fields.timestamp = timeOf(fields.timestamp);
	return { kind: 'message', fields, ...place };
}
