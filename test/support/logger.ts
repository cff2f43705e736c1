import type { Logger } from '../../server/session/ports.ts';

/** A logger that discards everything. */
export const silentLogger: Logger = {
	error: () => undefined,
	warn: () => undefined,
	info: () => undefined,
	debug: () => undefined,
};

/** Returns a logger that keeps its lines. */
export function listeningLogger(): Logger & { lines: string[] } {
	const lines: string[] = [];
	const note = (line: string): number => lines.push(line);
	return { lines, error: note, warn: note, info: note, debug: note };
}
