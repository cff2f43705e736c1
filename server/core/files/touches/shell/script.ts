import { type ShellWord, tokenizeShell } from './tokens.ts';

interface Redirection {
	operator: string;
	descriptor?: string;
	target: ShellWord;
}

export interface ShellCommand {
	words: ShellWord[];
	redirections: Redirection[];
	/** Text of the command's here-document. */
	document?: string;
}

export interface Pipeline {
	/** The operator before the pipeline; `start` for the first pipeline. */
	joinedBy: 'start' | '&&' | '||' | ';';
	commands: ShellCommand[];
}

const commandSeparators = new Set(['&&', '||', ';', '\n', '&']);
/** Words of conditions, loops and functions, which this parser does not support. */
const shellKeywords = new Set(
	'if then else elif fi for while until do done case esac function select { } [[ (( !'.split(' '),
);

/**
 * Parses a script into a list of pipelines; undefined if it contains loops, conditions, subshells or functions, or cannot
 * be parsed.
 */
export function parseScript(script: string): Pipeline[] | undefined {
	const tokens = tokenizeShell(script);
	if (tokens === undefined) return undefined;
	const pipelines: Pipeline[] = [];
	let commands: ShellCommand[] = [];
	let command: ShellCommand = { words: [], redirections: [] };
	let joinedBy: Pipeline['joinedBy'] = 'start';
	let redirection: Omit<Redirection, 'target'> | undefined;
	// Here-documents follow at the end of the line; the line's commands receive them in order.
	const documentReaders: ShellCommand[] = [];
	let documents = 0;

	const endCommand = (): void => {
		if (command.words.length > 0 || command.redirections.length > 0) commands.push(command);
		command = { words: [], redirections: [] };
	};
	const endPipeline = (): void => {
		endCommand();
		if (commands.length > 0) pipelines.push({ joinedBy, commands });
		commands = [];
	};

	for (const token of tokens) {
		if (token.t === 'document') {
			const reader = documentReaders[documents++];
			if (reader !== undefined) reader.document = token.text;
		} else if (token.t === 'word') {
			if (redirection !== undefined) {
				command.redirections.push({ ...redirection, target: token });
				if (redirection.operator.startsWith('<<') && redirection.operator !== '<<<')
					documentReaders.push(command);
				redirection = undefined;
			} else {
				if (command.words.length === 0 && shellKeywords.has(token.text)) return undefined;
				command.words.push(token);
			}
		} else if (redirection !== undefined) {
			return undefined;
		} else if (commandSeparators.has(token.text)) {
			endPipeline();
			if (token.text === '&&' || token.text === '||') joinedBy = token.text;
			else if (pipelines.length > 0) joinedBy = ';';
		} else if (token.text === '|' || token.text === '|&') {
			endCommand();
		} else if (/^&?[<>]/.test(token.text)) {
			redirection = { operator: token.text, descriptor: token.descriptor };
		} else {
			return undefined;
		}
	}
	if (redirection !== undefined) return undefined;
	endPipeline();
	return pipelines;
}
