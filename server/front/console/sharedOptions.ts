/** Options and texts that several commands share. */

import type { OptionUsage } from './commandWords.ts';

export const jsonOption: OptionUsage = { long: '--json', meaning: 'one JSON value instead of a report' };
export const modelOptions: readonly OptionUsage[] = [
	{ long: '--provider', value: 'NAME', meaning: 'provider of the model, such as anthropic' },
	{ long: '--model', value: 'NAME', meaning: 'model that will receive the history' },
	{ long: '--window', value: 'N', meaning: 'size of its window in tokens, if it is unknown (200k, 1m)' },
];
export const targetOption: OptionUsage = {
	long: '--target',
	value: 'N',
	meaning: 'tokens that the history should have afterwards (40000, 40k)',
};
export const inputDescription =
	'FILE contains messages as JSON Lines or as a JSON array, or is the transcript of an agent: Claude Code, Codex, Gemini CLI, pi, Copilot CLI, OpenCode, Cline, Roo and others. Without FILE the command reads standard input if something is piped in, otherwise the newest session of the working folder.';
export const storedSessionDescription =
	'Works on a session that contextd stores for a client or a plugin, through the daemon, and never on the transcript of an agent.';
export const sessionOption: OptionUsage = {
	long: '--session',
	value: 'ID',
	meaning: 'id of a stored session, or newest: the newest one of the working folder',
};
export const asciiOption: OptionUsage = { long: '--ascii', meaning: 'only ASCII characters' };
export const statusOptions: readonly OptionUsage[] = [
	{
		long: '--format',
		short: '-f',
		value: 'TEMPLATE',
		meaning: "format of the line, such as '{percent} {left}'",
	},
	asciiOption,
	{
		long: '--window',
		value: 'N',
		meaning: "size of the agent's window in tokens, if contextd gets it wrong",
	},
];
