/** Default maximum bytes of a line; longer lines are skipped. */
export const maxRawLineBytes = 64 << 20;

const lineFeed = 0x0a;

/**
 * Splits bytes that arrive in pieces into unchanged lines. Linear in the bytes, however long lines are; never splits a
 * character.
 *
 * Between calls, `#pending` has the pieces of the unfinished last line, or none if that line is too long.
 */
export class RawLines {
	readonly #maxLineBytes: number;
	#pending: Buffer[] = [];
	#pendingBytes = 0;
	#skippedLines = 0;
	#consumedBytes = 0;

	constructor(maxLineBytes = maxRawLineBytes) {
		this.#maxLineBytes = maxLineBytes;
	}

	/** Number of bytes in the lines that were returned or skipped. */
	get consumedBytes(): number {
		return this.#consumedBytes;
	}

	/** Number of lines that were skipped because they are too long. */
	get skippedLines(): number {
		return this.#skippedLines;
	}

	/** Adds a piece; returns the lines that are complete now, without blank ones. The caller may reuse the buffer. */
	push(piece: Buffer): string[] {
		const lines: string[] = [];
		let from = 0;
		for (let newline = piece.indexOf(lineFeed); newline >= 0; newline = piece.indexOf(lineFeed, from)) {
			this.#store(piece.subarray(from, newline));
			this.#consumedBytes += this.#pendingBytes + 1;
			const line = this.#flushLine();
			if (line !== '') lines.push(line);
			from = newline + 1;
		}
		this.#store(Buffer.from(piece.subarray(from)));
		return lines;
	}

	/** Returns the bytes of the unfinished last line; undefined if there are none, or too many. */
	peekUnfinished(): Buffer | undefined {
		if (this.#pendingBytes === 0 || this.#pendingBytes > this.#maxLineBytes) return undefined;
		const bytes = Buffer.concat(this.#pending);
		this.#pending = [bytes];
		return bytes;
	}

	/** Removes the first `count` of the bytes from `peekUnfinished`, which then count as returned. */
	consumeUnfinished(unfinished: Buffer, count = unfinished.length): void {
		const rest = unfinished.subarray(count);
		this.#consumedBytes += count;
		this.#pending = rest.length > 0 ? [rest] : [];
		this.#pendingBytes = rest.length;
	}

	/** Returns and removes the last line, which has no line feed, if `isComplete` accepts it; else returns none. */
	flushComplete(isComplete: (line: string) => boolean): string[] {
		const bytes = this.peekUnfinished();
		const line = bytes?.toString('utf8');
		if (bytes === undefined || line === undefined || !isComplete(line)) return [];
		this.consumeUnfinished(bytes);
		return [line];
	}

	#store(bytes: Buffer): void {
		this.#pendingBytes += bytes.length;
		if (this.#pendingBytes > this.#maxLineBytes) this.#pending = [];
		else if (bytes.length > 0) this.#pending.push(bytes);
	}

	/**
	 * Returns and removes the pending line; empty if the line is too long or blank. Decodes lines one by one, because a
	 * single non-ASCII character doubles the memory of a whole text.
	 */
	#flushLine(): string {
		const [only] = this.#pending;
		const isTooLong = this.#pendingBytes > this.#maxLineBytes;
		const bytes = this.#pending.length === 1 && only ? only : Buffer.concat(this.#pending);
		this.#pending = [];
		this.#pendingBytes = 0;
		if (isTooLong) this.#skippedLines++;
		const line = isTooLong ? '' : bytes.toString('utf8');
		return /\S/.test(line) ? line : '';
	}
}
