/** Writes Markdown for the meter's hover: links to commands, and escaped texts. */

/** The commands that the hover links to. */
export const linkedCommands = [
	'contextd.undo',
	'contextd.showChanges',
	'contextd.showUsage',
	'contextd.compact',
	'contextd.preview',
	'contextd.takeAlong',
	'contextd.continueInAgent',
	'contextd.selectSession',
	'contextd.followNewest',
	'contextd.restartDaemon',
	'contextd.showLog',
] as const;

/** Returns a link to a command; `title` is shown when the pointer is over it. */
export function linkCommand(text: string, command: (typeof linkedCommands)[number], title: string): string {
	return `[${text}](command:${command} "${title}")`;
}

/** Escapes a text for Markdown and HTML. */
export function escapeMarkdown(text: string): string {
	return text.replace(/[\\`*_{}[\]()#+\-.!|<>~$&]/g, '\\$&').replace(/\s+/g, ' ');
}

/** Escapes a sentence that contains Markdown characters only in the name of an agent, so that it stays readable. */
export function escapeSentence(text: string): string {
	return text.replace(/[\\`*_[\]<>|&]/g, '\\$&');
}
