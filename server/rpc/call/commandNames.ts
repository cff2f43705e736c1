/** Names of the commands that `workspace/executeCommand` runs; this file loads no schema. */

/** Matches the names of contextd's own methods, as opposed to those of LSP. */
export const ownMethodPattern = /^(?:context|recorder|session)\//;

/** Commands that need no argument. */
export const newestCommands = [
	'contextd.showUsage',
	'contextd.compactNewest',
	'contextd.undoNewest',
] as const;

/** Returns the command name of a method, such as `contextd.context.stats`. */
export function toCommandName(method: string): string {
	return `contextd.${method.replaceAll('/', '.')}`;
}
