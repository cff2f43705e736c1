import { exportFormats } from '../core/transcript/write/file.ts';
import { type Line, span } from './output/line.ts';

const USES: readonly (readonly [string, string])[] = [
	['contextd stats [FILE]', 'how full the context window is, and what fills it'],
	['contextd compact [FILE]', 'make room, and say what was done'],
	['contextd watch [FILE]', 'the meter of the newest session here, live, until Ctrl-C'],
	['contextd sessions [FOLDER]', 'the sessions of agents that worked there (--all: anywhere)'],
	['contextd export [FILE]', 'write a history, compacted, for a provider or an agent'],
	['contextd status [FOLDER]', 'one line for tmux, a prompt or an editor'],
	['contextd statusline', 'one line for Claude Code'],
	['contextd --stdio', 'run the daemon for an editor or agent'],
	['contextd --help, --version', ''],
];

const OPTIONS: readonly (readonly [string, string])[] = [
	['--provider NAME', 'the provider of the model, such as anthropic'],
	['--model NAME', 'the model that the history is meant for'],
	['--window N', 'tokens of its window, where they are not known (200k, 1m)'],
	['--json', 'one JSON value instead of a report'],
];

const COMPACT_OPTIONS: readonly (readonly [string, string])[] = [
	['--target N', 'tokens that the history should have afterwards (40000, 40k)'],
	['-o, --output OUT', 'write the history as JSON Lines (*.json: an array)'],
	['--instructions TEXT', 'what to keep above all'],
];

const EXPORT_OPTIONS: readonly (readonly [string, string])[] = [
	['-f, --format FORMAT', exportFormats.join(', ')],
	['-o, --output OUT', 'where to; the standard output where absent'],
	['--target N', 'tokens that the history should have'],
];

function table(rows: readonly (readonly [string, string])[]): Line[] {
	return rows.map(([name, meaning]) => [span(`  ${name.padEnd(28)}`, 'cyan'), span(meaning)]);
}

/** What `--help` shows. */
export function helpLines(): Line[] {
	return [
		[span('contextd', 'bold'), span(' keeps the context window of agents in order')],
		[],
		[span('Usage', 'bold')],
		...table(USES),
		[],
		[span('Options', 'bold')],
		...table(OPTIONS),
		[],
		[span('Options of compact', 'bold')],
		...table(COMPACT_OPTIONS),
		[],
		[span('Options of export', 'bold')],
		...table(EXPORT_OPTIONS),
		[],
		[span('FILE holds messages as JSON Lines or as a JSON array, or is the transcript of an agent: Claude')],
		[
			span(
				'Code, Codex, Gemini CLI, pi, Copilot CLI, OpenCode, Cline, Roo and others. Without FILE it is what',
			),
		],
		[span('stands on the standard input, else the newest session here. For -o - the history goes to stdout')],
		[span('and the report to stderr.')],
		[],
		[span('Exit codes: 0 done, 1 the work failed, 2 the input or the arguments cannot be used', 'gray')],
	];
}
