/** The texts that stand in for what was removed; each names the message that it can be read again under. */

/** Of a tool result that was pruned, under its best lines or alone. */
export function clearedNote(tokens: number, messageId: string): string {
	return `[Tool result cleared: ${Math.round(tokens)} tokens, original ${messageId}]`;
}

/** Of a file read that a later one covers. */
export function coveredNote(path: string, messageId: string): string {
	return `[File ${path} - refer to latest read below; original ${messageId}]`;
}

/** Of a result that a later one repeats word for word. */
export function repeatedNote(messageId: string): string {
	return `[Same as a later result below; original ${messageId}]`;
}

/** Of the middle of a message that was cut. */
export function cutNote(tokens: number, messageId: string): string {
	return `[… about ${Math.max(1, Math.round(tokens))} tokens cut here; original ${messageId} …]`;
}

/** The window's marker. */
export const truncationMarker = '[Earlier conversation history was truncated to fit within context limits]';
