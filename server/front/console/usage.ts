/** Usage of the commands, for help and completion. */

import { exportFormats } from '../../core/transcript/index.ts';
import {
	type CommandUsage,
	daemonActions,
	handoffAgents,
	installableAgents,
	recordActions,
	restoreForms,
	shells,
} from './commandWords.ts';
import {
	asciiOption,
	inputDescription,
	jsonOption,
	modelOptions,
	sessionOption,
	statusOptions,
	storedSessionDescription,
	targetOption,
} from './sharedOptions.ts';

/** All commands, in the order of the help. */
export const commandUsages: readonly CommandUsage[] = [
	{
		name: 'stats',
		operand: '[FILE]',
		summary: 'show how full the context window is, and what fills it',
		about: inputDescription,
		options: [...modelOptions, asciiOption, jsonOption],
		examples: [
			['contextd stats', 'the newest session of this folder'],
			['contextd stats session.jsonl --model gpt-5', 'a history, for this model'],
			['contextd stats --json | jq .usageRatio', 'only the usage ratio'],
		],
	},
	{
		name: 'compact',
		operand: '[FILE]',
		summary: 'compact a history, and show what was done',
		about: `${inputDescription} FILE itself stays unchanged; -o names the file for the compacted history. With -o - the history goes to stdout and the report to stderr. --session compacts a stored session itself, for all its clients; contextd undo reverses that.`,
		options: [
			...modelOptions,
			targetOption,
			{
				long: '--output',
				short: '-o',
				value: 'OUT',
				meaning: 'write the compacted history as JSON Lines (*.json: an array)',
			},
			{ long: '--instructions', value: 'TEXT', meaning: 'what the summary should keep above all' },
			{
				long: '--free',
				value: 'PATH',
				isRepeatable: true,
				meaning:
					'clear only outdated or repeated results of a file, or of a command in quotes, as listed by contextd stats (repeatable)',
			},
			sessionOption,
			jsonOption,
		],
		examples: [
			['contextd compact', 'what a compaction of the newest session here would do'],
			['contextd compact session.jsonl --target 40k -o small.jsonl', 'a history of 40,000 tokens'],
			['contextd compact --session newest', 'compact the newest stored session of this folder'],
			['contextd compact --free src/main.go', 'what clearing outdated reads of this file would save'],
		],
	},
	{
		name: 'undo',
		operand: '[STEP]',
		operands: [],
		summary: 'undo a compaction, rewind or rollback of a stored session',
		about: `${storedSessionDescription} Undoes STEP and every step that builds on it; by default the newest step.`,
		options: [sessionOption, jsonOption],
		examples: [
			['contextd undo --session newest', 'the newest compaction of this folder'],
			['contextd undo 0b1c… --session my-session', 'one step, by its id'],
		],
	},
	{
		name: 'history',
		operand: '',
		operands: [],
		summary: 'show the messages of a stored session that the model sees',
		about: `${storedSessionDescription} Prints one line per message; --json prints whole messages.`,
		options: [sessionOption, jsonOption],
		examples: [['contextd history --session newest', 'the newest stored session of this folder']],
	},
	{
		name: 'recall',
		operand: 'WORDS',
		operands: [],
		summary: 'search all recorded sessions, or one stored session, for words',
		about:
			'Searches every recorded session of every agent; contextd record on starts recording. Best matches come first, and secrets are replaced. With --session it searches one session that contextd stores instead, and shows which messages a compaction hides.',
		options: [
			{ long: '--here', meaning: 'only sessions of the working folder and below' },
			{ long: '--all', meaning: 'sessions of all folders (the default)' },
			{ long: '--agent', value: 'NAME', meaning: 'only one agent, such as claude or codex' },
			{ long: '--since', value: 'TIME', meaning: 'only messages since 30d, 12h, 2w or 2026-11-01' },
			{ long: '--limit', value: 'N', meaning: 'maximum number of matches, 1 to 100 (10)' },
			{ long: '--open', value: 'N', meaning: 'show match N in full with the messages around it, in $PAGER' },
			sessionOption,
			jsonOption,
		],
		examples: [
			['contextd recall "visibility timeout" dead-letter', 'where that was said, in any session'],
			['contextd recall ERR_PORT_IN_USE --here --since 30d', 'this folder, the last 30 days'],
			['contextd recall ERR_PORT_IN_USE --open 1', 'the best match in full'],
			['contextd recall "port number" --session newest', 'messages of one stored session'],
		],
	},
	{
		name: 'watch',
		operand: '[FILE]',
		summary: 'show the meter of the newest session here, live, until Ctrl-C',
		about: 'Follows FILE, or the newest session of the working folder, including sessions that begin later.',
		options: [],
		examples: [['contextd watch', 'next to an agent that works in this folder']],
	},
	{
		name: 'sessions',
		operand: '[FOLDER]',
		summary: 'list the sessions of agents in a folder (--all: in any folder)',
		about:
			'Lists the sessions in FOLDER, by default the working folder, newest first, with how full each is; then the sessions that contextd stores, with their ids for --session.',
		options: [{ long: '--all', meaning: 'list the sessions of all folders on this machine' }, jsonOption],
		examples: [['contextd sessions --all', 'every session on this machine']],
	},
	{
		name: 'export',
		operand: '[FILE]',
		summary: 'write a compacted history for a provider or an agent',
		about: `${inputDescription} A session of one agent can be exported for another agent, to continue it there.`,
		options: [
			{
				long: '--format',
				short: '-f',
				value: 'FORMAT',
				meaning: exportFormats.join(', '),
				choices: exportFormats,
			},
			{ long: '--output', short: '-o', value: 'OUT', meaning: 'file to write; by default standard output' },
			{
				long: '--place',
				meaning: 'put the session where its agent finds it, as a new one',
			},
			targetOption,
		],
		examples: [
			['contextd export -f claude-code --place', 'continue the newest session here in Claude Code'],
			['contextd export session.jsonl -f anthropic -o request.json', 'messages for the Messages API'],
		],
	},
	{
		name: 'handoff',
		operand: '[SESSION]',
		summary: 'hand a session over to another agent, which resumes it',
		about:
			'Writes the history, compacted if it is long, as a new session of the other agent, with your rules and your last request word for word. SESSION is a transcript, the id of a session, or the first characters of an id; without it, the newest session of the working folder. Existing sessions stay unchanged. The other agent uses its own instructions, model and permissions. At a terminal, without --place, --start and -o, it only shows what it would hand over.',
		options: [
			{
				long: '--to',
				value: 'AGENT',
				meaning: Object.keys(handoffAgents).join(', '),
				choices: Object.keys(handoffAgents),
			},
			{ long: '--place', meaning: 'put the session where the agent finds it' },
			{ long: '--start', meaning: 'put it there, and start the agent with it in this terminal' },
			{ long: '--output', short: '-o', value: 'OUT', meaning: 'file to write; - is standard output' },
			{ ...targetOption, meaning: 'tokens that the history should have at most; by default 32k' },
		],
		examples: [
			['contextd handoff --to codex --start', 'continue the newest session here in Codex'],
			['contextd handoff 0b1c --to claude --place', 'the session whose id begins with 0b1c, in Claude Code'],
		],
	},
	{
		name: 'audit',
		operand: '[FOLDER]',
		summary: 'show what the agents of this machine cost, and why',
		about:
			'Reads the transcripts of all agents that report usage, and shows what their calls cost by cause, agent, model, project and day, and in the ten most expensive moments, with advice. Also estimates what the same sessions would have cost with other compactions. FOLDER limits the audit to sessions that began in this folder or below it. Costs are those that agents report, otherwise list prices; with a subscription, you pay its price instead. The state folder caches what was read, so the next audit is fast. Needs no network.',
		options: [
			{
				long: '--since',
				value: 'TIME',
				meaning: 'start: 30d (the default), 12h, 2w, 2026-11-01, or all',
			},
			{ long: '--agent', value: 'NAME', meaning: 'only one agent, such as claude or codex' },
			{ long: '--html', value: 'FILE', meaning: 'also write a page with charts' },
			jsonOption,
		],
		examples: [
			['contextd audit', 'the last 30 days'],
			['contextd audit . --since 7d --agent claude', 'a week of Claude Code in this folder'],
			['contextd audit --html audit.html', 'a page to look at or to send'],
		],
	},
	{
		name: 'restore',
		operand: '[SESSION]',
		summary: 'write a whole session, as it was before any compaction',
		about:
			'SESSION is the id of a recording, the id of a session in its agent, the first characters of either, or the path of a transcript, even of a deleted one. Without SESSION the command lists the recordings of the working folder. As markdown or html, it writes a page with every message, including messages that were pruned or removed by a rewind, and marks each compaction. As transcript, it writes a new session with the whole conversation, without compactions, which its agent can resume. contextd record on starts recording; without a recording, restore reads the transcript itself.',
		options: [
			{
				long: '--as',
				value: 'FORM',
				meaning: `${restoreForms.join(', ')}; default: by the ending of OUT, else markdown`,
				choices: restoreForms,
			},
			{ long: '--output', short: '-o', value: 'OUT', meaning: 'file to write; by default standard output' },
			{ long: '--place', meaning: 'write a transcript to where its agent finds it, as a new session' },
			{ long: '--all', meaning: 'without SESSION: list the recordings of all folders' },
			{ long: '--json', meaning: 'without SESSION: one JSON value instead of a list' },
		],
		examples: [
			['contextd restore', 'what can be restored in this folder'],
			['contextd restore 5f3a -o session.html', 'a page to read in a browser'],
			['contextd restore 5f3a --place', 'resume the whole session in its agent'],
		],
	},
	{
		name: 'forget',
		operand: '[SESSION]',
		operands: [],
		summary: 'erase a session, or all that contains a text, from what contextd stores',
		about:
			'SESSION is the same as for contextd restore. The command first lists what would be erased, and copies that belong to agents, then asks. It erases records and their index, and every copy in the state folder: stored sessions, views of plugins, saved outputs of tools, and cached audits. --containing erases every record, stored session, file and line of the log that contains TEXT. The transcripts of agents stay. A forgotten transcript is not recorded again.',
		options: [
			{
				long: '--containing',
				value: 'TEXT',
				meaning: 'erase everything with this text, instead of a session',
			},
			{ long: '--yes', short: '-y', meaning: 'do not ask' },
			{ long: '--dry-run', meaning: 'only say what would be erased' },
		],
		examples: [
			['contextd forget 5f3a', 'one session'],
			['contextd forget --containing sk-live-123', 'a key that an agent printed'],
		],
	},
	{
		name: 'setup',
		operand: '',
		operands: [],
		summary: 'set up the agents, editors and shells of this machine',
		about:
			'Finds agents, editors, shells and tmux, says what each gets, and asks once. Installs plugins and status line, the MCP server for agents without a plugin, the VS Code extension, and lines between marker comments in the configuration of tmux, bash, zsh and fish. The state folder records every change. --undo restores a file byte for byte if nobody has changed it since, and otherwise removes only the lines of contextd. Without a terminal and without --yes it prints what it would do, and exits with 0. Needs no network.',
		options: [
			{ long: '--yes', short: '-y', meaning: 'do not ask' },
			{ long: '--dry-run', meaning: 'print every file with the lines that would change, and write nothing' },
			{ long: '--undo', meaning: 'revert what setup did' },
		],
		examples: [
			['contextd setup', 'once after installing'],
			['contextd setup --dry-run', 'every line that it would write'],
			['contextd setup --undo', 'as if it had never run'],
		],
	},
	{
		name: 'install',
		operand: 'AGENT',
		operands: installableAgents,
		summary: 'install contextd into an agent: claude, opencode, pi',
		about:
			"For Claude Code, adds a plugin with Claude Code's own commands, from files of this package, and a status line; an existing status line remains above it. contextd then handles /compact and automatic compaction, and /contextd-undo undoes them. All changes are recorded, so that uninstall can revert them. For OpenCode and pi, adds one file and edits no other. Needs no network.",
		options: [],
		examples: [
			['contextd install claude', 'then restart Claude Code'],
			['contextd install opencode', 'or pi'],
		],
	},
	{
		name: 'uninstall',
		operand: 'AGENT',
		operands: installableAgents,
		summary: 'remove contextd from an agent, or everything with --purge',
		about:
			'Restores the previous settings if they have not changed since; otherwise removes only the entries of contextd. Stored sessions remain. With --purge and without AGENT, it also reverts what setup did, ends the daemon, and deletes the state folder with all stored sessions; it asks first. The transcripts of agents and your contextd.json remain.',
		options: [
			{ long: '--purge', meaning: 'remove contextd from everything, and delete all that it stores' },
			{ long: '--yes', short: '-y', meaning: 'with --purge: do not ask' },
		],
		examples: [
			['contextd uninstall claude', 'removes it from Claude Code'],
			['contextd uninstall --purge', 'erases everything that contextd wrote'],
		],
	},
	{
		name: 'doctor',
		operand: '[AGENT]',
		operands: installableAgents,
		summary: 'check that everything works, and say what to fix',
		about:
			'Checks the program, the state folder, settings files, every agent with contextd, editors, and the files that setup changed; starts the daemon once and stores a session. Exits with 1 if something is broken. With AGENT, checks only that agent.',
		options: [],
		examples: [
			['contextd doctor', 'checks everything'],
			['contextd doctor claude', 'checks only Claude Code'],
		],
	},
	{
		name: 'record',
		operand: `${recordActions.join('|')} [SESSION]`,
		operands: recordActions,
		summary: 'start or stop recording every session of every agent',
		about:
			'record on copies the sessions of all agents on this machine, from their first line, so that you still have what an agent later compacts, rewrites or deletes. Only you can read the copies; they stay on this machine, in the state folder. record status shows what is stored, record pin keeps one session regardless of its age, and record off stops recording but keeps the recordings. docs/recorder.md describes what is stored, for how long, and how to erase it.',
		options: [
			{
				long: '--exclude',
				value: 'FOLDER',
				isRepeatable: true,
				meaning:
					'for on: do not record sessions in this folder or below it; replaces the list; may be repeated',
			},
			{
				long: '--max-size',
				value: 'SIZE',
				meaning: 'for on: maximum size, such as 500m or 5g (default: 5g)',
			},
			{ long: '--max-days', value: 'N', meaning: 'for on: days to keep a session (default: 365)' },
			jsonOption,
		],
		examples: [
			['contextd record on --exclude ~/private', 'record all sessions except those in ~/private'],
			['contextd record status', 'how much is stored, and where'],
			['contextd record pin 5c1f09', 'never remove this session to save space'],
		],
	},
	{
		name: 'daemon',
		operand: daemonActions.join('|'),
		operands: daemonActions,
		summary: 'show or stop the shared daemon, or print its log',
		about:
			'daemon status shows whether the daemon runs, with its clients and its memory; daemon stop ends it; daemon log prints its log. Clients start the daemon when they need it, and it exits after ten minutes without a client (daemon.idleMinutes). daemon stop kills a daemon that does not answer; nothing that it acknowledged is lost. contextd daemon serve runs the daemon in the terminal.',
		options: [
			{ long: '--storage', value: 'DIR', meaning: 'state folder, if it is not the default one' },
			{ long: '--json', meaning: 'for status: one JSON value instead of a report' },
		],
		examples: [
			['contextd daemon status', 'whether it runs'],
			['contextd daemon stop', 'after an update, for example'],
		],
	},
	{
		name: 'mcp',
		operand: '',
		operands: [],
		summary: 'serve an agent over MCP: search and read its session, and pin messages',
		about:
			'Runs an MCP server on the standard streams, for agents without a plugin of contextd; contextd setup registers it. Its tools search the session of the agent that started it, read messages in full, show usage and pin messages, through the daemon. See docs/mcp.md.',
		options: [],
		examples: [
			['codex mcp add contextd -- contextd mcp', 'register it in Codex by hand'],
			['claude mcp add contextd -- contextd mcp', 'in Claude Code without the plugin'],
		],
	},
	{
		name: 'status',
		operand: '[FOLDER]',
		summary: 'print one line for tmux, a prompt or an editor',
		about: 'Shows how full the newest session of the folder is; see contextd status --help.',
		options: statusOptions,
		examples: [],
	},
	{
		name: 'statusline',
		operand: '',
		operands: [],
		summary: 'print one line for Claude Code',
		about: 'Shows how full the session is; see contextd statusline --help.',
		options: statusOptions,
		examples: [],
	},
	{
		name: 'completion',
		operand: 'SHELL',
		operands: shells,
		summary: `print the completion for ${shells.join(', ')}`,
		about: 'Prints a script that completes commands, options and files in a shell.',
		options: [],
		examples: [
			['source <(contextd completion bash)', 'in ~/.bashrc'],
			['source <(contextd completion zsh)', 'in ~/.zshrc, after compinit'],
			['contextd completion fish > ~/.config/fish/completions/contextd.fish', 'once'],
		],
	},
];
