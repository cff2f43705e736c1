import { type Complain, createPieceBuffer, type Piece, type Splitter } from './splitter.ts';

const LINE_FEED = 0x0a;
const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

function isBlank(byte: number): boolean {
	return byte === 0x20 || byte === LINE_FEED || byte === 0x09 || byte === 0x0d;
}

/** Follows strings and brackets: which bytes stand between the elements of the array. */
function createNesting() {
	let depth = 0;
	let isInString = false;
	let isEscaped = false;

	function takeInString(byte: number): void {
		if (isEscaped) isEscaped = false;
		else if (byte === BACKSLASH) isEscaped = true;
		else if (byte === QUOTE) isInString = false;
	}

	return {
		isBetweenElements: () => depth === 1 && !isInString,
		take(byte: number): void {
			if (isInString) takeInString(byte);
			else if (byte === QUOTE) isInString = true;
			else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) depth++;
			else if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) depth--;
		},
	};
}

/** A JSON array as its elements, one by one. The first byte that is not blank must be the array's `[`. */
export function createElementSplitter(complain: Complain): Splitter {
	const buffer = createPieceBuffer(complain);
	const nesting = createNesting();
	let state: 'before' | 'inside' | 'after' = 'before';
	let line = 1;
	/** The line that the element at hand begins on; 0 while none has begun. */
	let startLine = 0;
	let isAfterComma = false;

	function endElement(byte: number, pieces: Piece[]): void {
		const text = buffer.release();
		if (startLine > 0) pieces.push({ text, line: startLine });
		else if (byte === COMMA || isAfterComma) {
			throw complain(`expected a message, got "${String.fromCharCode(byte)}"`, line);
		}
		startLine = 0;
		isAfterComma = byte === COMMA;
		if (byte === CLOSE_BRACKET) state = 'after';
	}

	return {
		take(bytes) {
			const pieces: Piece[] = [];
			let start = 0;
			for (let at = 0; at < bytes.length; at++) {
				const byte = bytes[at]!;
				if (byte === LINE_FEED) line++;
				if (state === 'inside' && nesting.isBetweenElements()) {
					if (byte === COMMA || byte === CLOSE_BRACKET) {
						if (startLine > 0) buffer.add(bytes.subarray(start, at), startLine);
						endElement(byte, pieces);
						continue;
					}
					if (byte === CLOSE_BRACE) throw complain('expected "," or "]", got "}"', line);
				}
				if (isBlank(byte)) continue;
				if (state === 'after') throw complain('expected nothing after the array', line);
				nesting.take(byte);
				if (state === 'before') state = 'inside';
				else if (startLine === 0) {
					startLine = line;
					start = at;
				}
			}
			if (startLine > 0) buffer.add(bytes.subarray(start), startLine);
			return pieces;
		},
		finish() {
			if (state !== 'after') throw complain('the array is not closed: "]" is missing', line);
			return [];
		},
	};
}
