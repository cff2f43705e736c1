/** Usage of the commands, for help and completion. */

import { exportFormats } from '../../core/transcript/write/file.ts';

/** One option of a command. */
export interface OptionUsage {
	/** The option with its dashes. */
	long: string;
	short?: string;
	/** Name of its value; absent if it has none. */
	value?: string;
	meaning: string;
	/** All possible values. */
	choices?: readonly string[];
}

/** One command. */
export interface CommandUsage {
	name: string;
	/** Operands after its name. */
	operand: string;
	summary: string;
	/** A description in whole sentences. */
	about: string;
	options: readonly OptionUsage[];
	/** Command lines and their purposes. */
	examples: readonly (readonly [line: string, purpose: string])[];
}

/** The shells that completion supports. */
export const shells = ['bash', 'zsh', 'fish'] as const;

export type Shell = (typeof shells)[number];

const json: OptionUsage = { long: '--json', meaning: 'one JSON value instead of a report' };
const model: readonly OptionUsage[] = [
	{ long: '--provider', value: 'NAME', meaning: 'the provider of the model, such as anthropic' },
	{ long: '--model', value: 'NAME', meaning: 'the model that the history is meant for' },
	{ long: '--window', value: 'N', meaning: 'tokens of its window, if they are not known (200k, 1m)' },
];
const target: OptionUsage = {
	long: '--target',
	value: 'N',
	meaning: 'tokens that the history should have afterwards (40000, 40k)',
};
const whatIsRead =
	'FILE holds messages as JSON Lines or as a JSON array, or is the transcript of an agent: Claude Code, Codex, Gemini CLI, pi, Copilot CLI, OpenCode, Cline, Roo and others. Without FILE it is what stands on the standard input, else the newest session of the working folder.';
const whatIsKept =
	'Works on a session that contextd keeps for a client or a plugin, through the process that holds it, and never on the transcript of an agent.';
const session: OptionUsage = {
	long: '--session',
	value: 'ID',
	meaning: 'a session that contextd keeps, or newest: the newest of the working folder',
};
const ascii: OptionUsage = { long: '--ascii', meaning: 'only ASCII characters' };
const status: readonly OptionUsage[] = [
	{
		long: '--format',
		short: '-f',
		value: 'TEMPLATE',
		meaning: "how the line is put together: '{percent} {left}'",
	},
	ascii,
	{ long: '--window', value: 'N', meaning: "tokens of the agent's window, if you know better" },
];

/** All commands, in the order of the help. */
export const commandUsages: readonly CommandUsage[] = [
	{
		name: 'stats',
		operand: '[FILE]',
		summary: 'how full the context window is, and what fills it',
		about: whatIsRead,
		options: [...model, ascii, json],
		examples: [
			['contextd stats', 'the newest session of this folder'],
			['contextd stats session.jsonl --model gpt-5', 'a history, for a model'],
			['contextd stats --json | jq .usageRatio', 'one figure of it'],
		],
	},
	{
		name: 'compact',
		operand: '[FILE]',
		summary: 'make room, and say what was done',
		about: `${whatIsRead} The file stays as it is: what is left goes to the one that -o names. For -o - it goes to stdout, and the report to stderr. With --session a session that contextd keeps is compacted itself, in every window that shows it; contextd undo takes it back.`,
		options: [
			...model,
			target,
			{
				long: '--output',
				short: '-o',
				value: 'OUT',
				meaning: 'write the history as JSON Lines (*.json: an array)',
			},
			{ long: '--instructions', value: 'TEXT', meaning: 'what to keep above all' },
			session,
			json,
		],
		examples: [
			['contextd compact', 'what a compaction of the newest session here would do'],
			['contextd compact session.jsonl --target 40k -o small.jsonl', 'a history of 40,000 tokens'],
			['contextd compact --session newest', 'make room in the newest session that contextd keeps here'],
		],
	},
	{
		name: 'undo',
		operand: '[STEP]',
		summary: 'take back a compaction, rewind or rollback of a kept session',
		about: `${whatIsKept} Takes back STEP with whatever was built on it, or the newest step that can be taken back.`,
		options: [session, json],
		examples: [
			['contextd undo --session newest', 'the newest compaction of this folder'],
			['contextd undo 0b1c… --session my-session', 'one of them, by its id'],
		],
	},
	{
		name: 'history',
		operand: '',
		summary: 'the messages that the model gets to see, of a kept session',
		about: `${whatIsKept} One line a message; --json gives them whole.`,
		options: [session, json],
		examples: [['contextd history --session newest', 'what stands in the newest session of this folder']],
	},
	{
		name: 'recall',
		operand: 'WORDS',
		summary: 'look words up in all that a kept session ever held',
		about: `${whatIsKept} Messages that a compaction hides are found too, with the id of what hides them.`,
		options: [session, json],
		examples: [['contextd recall "port number" --session newest', 'which messages spoke of it']],
	},
	{
		name: 'watch',
		operand: '[FILE]',
		summary: 'the meter of the newest session here, live, until Ctrl-C',
		about: 'Follows FILE, or the newest session of the working folder and each that begins there afterwards.',
		options: [],
		examples: [['contextd watch', 'beside an agent that works in this folder']],
	},
	{
		name: 'sessions',
		operand: '[FOLDER]',
		summary: 'the sessions of agents that worked there (--all: anywhere)',
		about:
			'Lists the sessions of FOLDER, or of the working folder, newest first, with how full each is; then those that contextd keeps, with the ids that --session takes.',
		options: [{ long: '--all', meaning: 'of all folders of this machine' }, json],
		examples: [['contextd sessions --all', 'all that is found on this machine']],
	},
	{
		name: 'export',
		operand: '[FILE]',
		summary: 'write a history, compacted, for a provider or an agent',
		about: `${whatIsRead} An agent's session that is exported for another one goes on there.`,
		options: [
			{
				long: '--format',
				short: '-f',
				value: 'FORMAT',
				meaning: exportFormats.join(', '),
				choices: exportFormats,
			},
			{ long: '--output', short: '-o', value: 'OUT', meaning: 'where to; the standard output where absent' },
			{
				long: '--place',
				meaning: 'put a session of Claude Code or pi where that agent finds it, under a new name',
			},
			target,
		],
		examples: [
			['contextd export -f claude-code --place', 'go on with the newest session here in Claude Code'],
			['contextd export session.jsonl -f anthropic -o request.json', 'messages for the Messages API'],
		],
	},
	{
		name: 'install',
		operand: 'AGENT',
		summary: 'put contextd inside an agent: claude, opencode, pi',
		about:
			"Adds a plugin to Claude Code, by Claude Code's own commands and from files of this package, and a status line; a line that is there already stays, with ours below it. From then on /compact and automatic compaction are answered by contextd, and /contextd-undo takes them back. What is changed is written down, so that uninstall gives it back. Into OpenCode and pi it puts one file, and edits no other. Nothing is asked of the network.",
		options: [],
		examples: [
			['contextd install claude', 'then restart Claude Code'],
			['contextd install opencode', 'or pi'],
		],
	},
	{
		name: 'uninstall',
		operand: 'AGENT',
		summary: 'take contextd out of an agent again',
		about:
			'Gives the settings back as they were where nothing was changed since, and takes only our own entries out where something was. What contextd recorded of sessions stays.',
		options: [],
		examples: [['contextd uninstall claude', 'out of Claude Code']],
	},
	{
		name: 'doctor',
		operand: '[AGENT]',
		summary: 'check that contextd works inside an agent',
		about:
			'Checks each part of the installation, starts the daemon once, and says when it was last at work. Without AGENT it checks every agent that contextd is installed in.',
		options: [],
		examples: [['contextd doctor claude', 'checks Claude Code alone']],
	},
	{
		name: 'daemon',
		operand: 'status|stop|log',
		summary: 'the process that serves all clients',
		about:
			'Says whether the daemon runs, with its clients and its memory; ends it; or prints its log. Clients start it when they need it, and it ends when none was connected for ten minutes (daemon.idleMinutes). One that does not answer is killed by stop; nothing that it acknowledged is lost. contextd daemon serve runs it in the terminal.',
		options: [
			{ long: '--storage', value: 'DIR', meaning: 'the state folder, if it is not the usual one' },
			{ long: '--json', meaning: 'one JSON value instead of a report, of status' },
		],
		examples: [
			['contextd daemon status', 'whether it runs'],
			['contextd daemon stop', 'after an update, for example'],
		],
	},
	{
		name: 'status',
		operand: '[FOLDER]',
		summary: 'one line for tmux, a prompt or an editor',
		about: 'Tells how full the newest session of the folder is; contextd status --help says more.',
		options: status,
		examples: [],
	},
	{
		name: 'statusline',
		operand: '',
		summary: 'one line for Claude Code',
		about: 'Tells how full the session is; contextd statusline --help says more.',
		options: status,
		examples: [],
	},
	{
		name: 'completion',
		operand: 'SHELL',
		summary: `completion for ${shells.join(', ')}`,
		about: 'Prints what completes commands, options and files in a shell.',
		options: [],
		examples: [
			['source <(contextd completion bash)', 'in ~/.bashrc'],
			['source <(contextd completion zsh)', 'in ~/.zshrc, behind compinit'],
			['contextd completion fish > ~/.config/fish/completions/contextd.fish', 'once'],
		],
	},
];
