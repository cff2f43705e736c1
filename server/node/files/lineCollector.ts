/** Lines taken out of a text that comes in pieces. */
interface CollectedLines {
	/** The wanted lines, with their ends, as far as they fit. */
	text: string;
	/** The last line that the text holds, if only in part; one less than the first wanted where it holds none. */
	lastLine: number;
	/** More of the wanted lines was there than fits. */
	cut: boolean;
	/** Lines of everything that came. */
	totalLines: number;
}

/** Takes pieces, then gives what was wanted of them. */
export interface LineCollector {
	add(piece: string): void;
	/** Whether nothing that comes can belong to the wanted lines any more. */
	isComplete(): boolean;
	finish(): CollectedLines;
}

/**
 * Collects the lines from `startLine` to `endLine` (both from 1, included), at most `maxUnits` UTF-16 units,
 * and counts all lines. Keeps nothing else, so memory is bounded by `maxUnits` and one piece.
 */
export function collectLines(startLine: number, endLine: number, maxUnits: number): LineCollector {
	const kept: string[] = [];
	let room = maxUnits;
	let line = 1;
	let lineIsOpen = false;
	let lastLine = startLine - 1;
	let cut = false;

	function keep(part: string, ofLine: number): void {
		if (room === 0) cut = true;
		const fitting = part.slice(0, wholeUnits(part, room));
		if (fitting.length < part.length) cut = true;
		if (fitting === '') return;
		kept.push(fitting);
		room = cut ? 0 : room - fitting.length;
		lastLine = ofLine;
	}

	return {
		add(piece) {
			let start = 0;
			while (start < piece.length) {
				const newline = piece.indexOf('\n', start);
				const end = newline === -1 ? piece.length : newline + 1;
				if (line >= startLine && line <= endLine) keep(piece.slice(start, end), line);
				lineIsOpen = newline === -1;
				if (!lineIsOpen) line += 1;
				start = end;
			}
		},
		isComplete: () => line > endLine || cut,
		finish: () => ({ text: kept.join(''), lastLine, cut, totalLines: lineIsOpen ? line : line - 1 }),
	};
}

/** As much of a part as fits without cutting a surrogate pair in two. */
function wholeUnits(part: string, room: number): number {
	if (room >= part.length) return part.length;
	const last = part.charCodeAt(room - 1);
	return last >= 0xd800 && last <= 0xdbff ? room - 1 : room;
}
