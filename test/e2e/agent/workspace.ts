/** Generated files that the agent works on, and its tools. The files are the same for equal seeds. */

import { randomFrom } from '../../support/generatedText.ts';
import type { Call, Fields, Outcome } from './wire.ts';

/** The approximate tokens of a line of generated code. */
const lineTokens = 17;

const nouns = [
	'parser',
	'window',
	'journal',
	'socket',
	'budget',
	'ledger',
	'marker',
	'cursor',
	'layer',
	'queue',
];
const verbs = ['read', 'merge', 'close', 'count', 'split', 'apply', 'trace', 'reset'];

function lineOf(seed: number, index: number): string {
	const noun = nouns[(index * 7 + seed) % nouns.length];
	const verb = verbs[(index * 3 + seed * 5) % verbs.length];
	return `export const ${verb}${noun}${index} = (input) => ${verb}(input, '${noun}-${seed}', ${index * 13 + seed});`;
}

/** Generates code of about `tokens` tokens. */
export function madeUpCode(seed: number, tokens: number): string {
	const lines = Math.max(1, Math.round(tokens / lineTokens));
	return Array.from({ length: lines }, (_, index) => lineOf(seed, index)).join('\n');
}

/** Generates prose of about `tokens` tokens. */
export function madeUpProse(seed: number, tokens: number): string {
	const random = randomFrom(seed);
	const sentences = Array.from({ length: Math.max(1, Math.round(tokens / 13)) }, () => {
		const noun = nouns[random(nouns.length)];
		return `The ${noun} must ${verbs[random(verbs.length)]} the ${nouns[random(nouns.length)]} before step ${random(900)}.`;
	});
	return sentences.join(' ');
}

export const tools = [
	{ name: 'read_file', description: 'Reads a file.', parameters: schema('path') },
	{ name: 'edit_file', description: 'Replaces a text in a file.', parameters: schema('path', 'old', 'new') },
	{ name: 'run_command', description: 'Runs a command in the shell.', parameters: schema('command') },
	{ name: 'search', description: 'Searches all files for a text.', parameters: schema('query') },
];

function schema(...names: string[]): Fields {
	const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
	return { type: 'object', properties, required: names };
}

/** Answers calls on files whose sizes are shares of a window. */
export interface Workspace {
	run(call: Call): Outcome;
}

/** Creates a workspace in which a file `…-0.04.ts` fills 4% of the window. Commands name the size of their output in the same way. */
export function createWorkspace(window: number): Workspace {
	const versions = new Map<string, number>();
	const sizeOf = (name: string): number => Number(/-(\d+\.\d+)/.exec(name)?.[1] ?? '0.01') * window;
	const numberIn = (name: string): number => Number(/\d+/.exec(name)?.[0] ?? '0');
	const outputs: Record<string, (args: Fields) => { text: string; isError?: boolean }> = {
		read_file({ path }) {
			const name = String(path);
			if (name.includes('missing')) return { text: `ENOENT: no such file: ${name}`, isError: true };
			return { text: madeUpCode(numberIn(name) + 100 * (versions.get(name) ?? 0), sizeOf(name)) };
		},
		edit_file({ path }) {
			const name = String(path);
			versions.set(name, (versions.get(name) ?? 0) + 1);
			return { text: `Edited ${name}.` };
		},
		run_command({ command }) {
			const fails = String(command).includes('--fail');
			const log = madeUpProse(numberIn(String(command)), sizeOf(String(command)));
			return fails ? { text: `${log}\nError: 3 tests failed\nexit code 1`, isError: true } : { text: log };
		},
		search({ query }) {
			return { text: String(query) === 'nothing' ? '' : madeUpCode(String(query).length, 0.02 * window) };
		},
	};
	return {
		run(call) {
			const output = outputs[call.name];
			if (!output) return { call, text: `unknown tool ${call.name}`, isError: true };
			const { text, isError = false } = output(call.args);
			return { call, text, isError };
		},
	};
}
