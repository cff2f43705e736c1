/** The texts that replace what was removed; each names the message that `context/original` returns it by. */

/** Replaces a tool result that was pruned, under its best lines or alone; with the outcome of its call, if that says more. */
export function clearedNote(tokens: number, messageId: string, outcome = ''): string {
	return `[Tool result cleared: ${Math.round(tokens)} tokens, original ${messageId}${withOutcome(outcome)}]`;
}

/** Replaces an image that was dropped. */
export function droppedImageNote(messageId: string): string {
	return `[Image cleared; original ${messageId}]`;
}

/** Of a file read that a later one covers. */
export function coveredNote(path: string, messageId: string): string {
	return `[File ${path} - refer to latest read below; original ${messageId}]`;
}

/** Of a result that a later one repeats word for word. */
export function repeatedNote(messageId: string): string {
	return `[Same as a later result below; original ${messageId}]`;
}

/** Replaces the middle of a message that was cut; of a result with the outcome of its call, if that says more. */
export function cutNote(tokens: number, messageId: string, outcome = ''): string {
	const about = Math.max(1, Math.round(tokens));
	return `[… about ${about} tokens cut here; original ${messageId}${withOutcome(outcome)} …]`;
}

function withOutcome(outcome: string): string {
	return outcome === '' ? '' : `; ${outcome}`;
}

/** The window's marker. */
export const truncationMarker = '[Earlier conversation history was truncated to fit within context limits]';
