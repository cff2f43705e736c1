import type { Logger } from '../../server/session/ports.ts';

/** Says nothing. */
export const silentLogger: Logger = {
	error: () => undefined,
	warn: () => undefined,
	info: () => undefined,
	debug: () => undefined,
};

/** Keeps what it is told. */
export function listeningLogger(): Logger & { lines: string[] } {
	const lines: string[] = [];
	const note = (line: string): number => lines.push(line);
	return { lines, error: note, warn: note, info: note, debug: note };
}
