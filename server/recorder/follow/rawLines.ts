/** Maximum bytes of a line; longer lines are skipped. */
export const maxLineBytes = 64 << 20;

const lineFeed = 0x0a;

/** Splits bytes that arrive in pieces into unchanged lines. Linear in the bytes; never splits a character. */
export class RawLines {
	#pending: Buffer[] = [];
	#pendingBytes = 0;
	#skipped = 0;
	#consumed = 0;

	/** Number of bytes in the lines that were returned or skipped. */
	get consumedBytes(): number {
		return this.#consumed;
	}

	/** Number of lines that were skipped because they are too long. */
	get skippedLines(): number {
		return this.#skipped;
	}

	/** Adds a piece; returns the lines that are complete now, without blank ones. The caller may reuse the buffer. */
	push(piece: Buffer): string[] {
		const lines: string[] = [];
		let from = 0;
		for (let newline = piece.indexOf(lineFeed); newline >= 0; newline = piece.indexOf(lineFeed, from)) {
			this.#store(piece.subarray(from, newline));
			this.#consumed += this.#pendingBytes + 1;
			const line = this.#flushLine();
			if (line !== '') lines.push(line);
			from = newline + 1;
		}
		this.#store(Buffer.from(piece.subarray(from)));
		return lines;
	}

	/** Returns and removes the last line, which has no line feed, if `isComplete` accepts it; else returns none. */
	flushComplete(isComplete: (line: string) => boolean): string[] {
		if (this.#pendingBytes === 0 || this.#pendingBytes > maxLineBytes) return [];
		const bytes = Buffer.concat(this.#pending);
		const line = bytes.toString('utf8');
		if (!isComplete(line)) {
			this.#pending = [bytes];
			return [];
		}
		this.#consumed += bytes.length;
		this.#pending = [];
		this.#pendingBytes = 0;
		return [line];
	}

	#store(bytes: Buffer): void {
		this.#pendingBytes += bytes.length;
		if (this.#pendingBytes > maxLineBytes) this.#pending = [];
		else if (bytes.length > 0) this.#pending.push(bytes);
	}

	/** Returns and removes the pending line; empty if the line is too long or blank. */
	#flushLine(): string {
		const [only] = this.#pending;
		const isTooLong = this.#pendingBytes > maxLineBytes;
		const bytes = this.#pending.length === 1 && only ? only : Buffer.concat(this.#pending);
		this.#pending = [];
		this.#pendingBytes = 0;
		if (isTooLong) this.#skipped++;
		const line = isTooLong ? '' : bytes.toString('utf8');
		return /\S/.test(line) ? line : '';
	}
}
