/** Reads the calls of a script that calls tools, as Codex writes it for its tool `exec`: `await tools.exec_command({ cmd: "ls" })`. */

import type { ToolCall } from '../../protocol/conversation.ts';
import { isFields } from '../shape.ts';
import { firstText } from '../values.ts';

/** Maximum number of calls of a script that are read. */
const maxCalls = 32;
/** Maximum nesting of arguments that are read. */
const maxDepth = 12;

/** A variable with a literal value that is not used in a condition: `const patch = "…"`. */
const variablePattern = /(?:const|let|var)\s{1,9}([A-Za-z_$][\w$]{0,99})\s{0,9}=\s{0,9}/y;
/** A call of a tool: `tools.exec_command(`. */
const callPattern = /\btools\.([A-Za-z_]\w{0,99})\s{0,9}\(/g;
const joinPattern = /\s{0,9}\.join\(\s{0,9}/y;
const spacePattern = /(?:\s|\/\/[^\n]{0,200}\n)*/y;
const namePattern = /[A-Za-z_$][\w$]*/y;
const numberPattern = /-?\d[\d_]*(?:\.\d+)?/y;
/** A text with its quotation marks. Escapes are two characters long. */
const textPattern =
	/"((?:[^"\\]|\\[\s\S])*)"|'((?:[^'\\]|\\[\s\S])*)'|(String\.raw)?`((?:[^`\\]|\\[\s\S])*)`/y;
const escapePattern = /\\(?:u\{[\da-f]{1,6}\}|u[\da-f]{4}|x[\da-f]{2}|[\s\S])/gi;
const escapedCharacters: Readonly<Record<string, string>> = {
	n: '\n',
	t: '\t',
	r: '\r',
	b: '\b',
	f: '\f',
	'\n': '',
};
const constants: ReadonlyMap<string, unknown> = new Map<string, unknown>([
	['true', true],
	['false', false],
	['null', null],
	['undefined', undefined],
]);

/** Thrown for an expression that is not a literal. */
const unreadable = new Error('not a literal');

/**
 * Returns the call that a script makes, with the id of the script's call; the call itself if it is no script, or if the
 * arguments are not literals. Several shell commands become one call with a line for each command, and several patches
 * one call with all of them. Linear in the length of the script.
 */
export function unwrapScriptedCall(call: ToolCall): ToolCall {
	const script = isFields(call.args) ? firstText(call.args.input, call.args.code) : undefined;
	if (!/(?:^|[^a-z])exec$/i.test(call.name) || !script?.includes('tools.')) return call;
	const calls = readCalls(script);
	const [first] = calls;
	if (first === undefined || calls.some(({ name }) => name !== first.name)) return call;
	if (calls.length === 1) return { id: call.id, ...first };
	const commands = calls.map(({ args }) => (isFields(args) ? firstText(args.cmd, args.input) : undefined));
	if (commands.includes(undefined) || !isFields(first.args)) return call;
	const joined = commands.join('\n');
	return {
		id: call.id,
		name: first.name,
		args: 'cmd' in first.args ? { ...first.args, cmd: joined } : { input: joined },
	};
}

/** Returns the calls of a script in order; none if the arguments of one are not literals, or if there are too many. */
function readCalls(script: string): Omit<ToolCall, 'id'>[] {
	const reader = new LiteralReader(script);
	const calls: Omit<ToolCall, 'id'>[] = [];
	for (const match of script.matchAll(callPattern)) {
		if (calls.length === maxCalls) return [];
		const args = reader.readAt(match.index + match[0].length);
		if (args === unreadable) return [];
		calls.push({ name: match[1] ?? '', args: typeof args === 'string' ? { input: args } : (args ?? {}) });
	}
	return calls;
}

/** Reads literals of JavaScript, and names of variables that have a literal as value. */
class LiteralReader {
	readonly #script: string;
	readonly #variables: Map<string, number>;
	#position = 0;

	constructor(script: string) {
		this.#script = script;
		this.#variables = new Map();
		for (const { index } of script.matchAll(/\b(?:const|let|var)\s/g)) {
			variablePattern.lastIndex = index;
			const name = variablePattern.exec(script)?.[1];
			if (name !== undefined) this.#variables.set(name, variablePattern.lastIndex);
		}
	}

	/** Returns the value of the literal at a position; `unreadable` if there is none, or if it is part of an expression. */
	readAt(position: number): unknown {
		this.#position = position;
		try {
			return this.#readOperand(0);
		} catch (error) {
			if (error !== unreadable) throw error;
			return unreadable;
		}
	}

	#match(pattern: RegExp): RegExpExecArray | null {
		pattern.lastIndex = this.#position;
		const match = pattern.exec(this.#script);
		if (match !== null) this.#position = pattern.lastIndex;
		return match;
	}

	/** Consumes spaces and a character, if it follows. */
	#skip(character: string): boolean {
		this.#match(spacePattern);
		if (this.#script[this.#position] !== character) return false;
		this.#position++;
		return true;
	}

	/** Reads texts that are joined by `+`, or another literal. */
	#readOperand(depth: number): unknown {
		let value = this.#readValue(depth);
		while (typeof value === 'string' && this.#skip('+')) value += String(this.#readValue(depth));
		this.#match(spacePattern);
		if (/[-+.?*/%[(&|<>]/.test(this.#script[this.#position] ?? '')) throw unreadable;
		return value;
	}

	#readValue(depth: number): unknown {
		if (depth > maxDepth) throw unreadable;
		if (this.#skip('{')) return this.#readObject(depth);
		if (this.#skip('[')) return this.#readList(depth);
		const text = this.#match(textPattern);
		if (text !== null) return decodeText(text);
		const number = this.#match(numberPattern);
		if (number !== null) return Number(number[0].replaceAll('_', ''));
		return this.#readName(depth);
	}

	#readName(depth: number): unknown {
		const name = this.#match(namePattern)?.[0] ?? '';
		if (constants.has(name)) return constants.get(name);
		const value = this.#variables.get(name);
		if (value === undefined) throw unreadable;
		const end = this.#position;
		this.#position = value;
		const result = this.#readOperand(depth + 1);
		this.#position = end;
		return result;
	}

	#readObject(depth: number): unknown {
		const entries: [string, unknown][] = [];
		while (!this.#skip('}')) {
			this.#match(spacePattern);
			const quoted = this.#match(textPattern);
			const start = this.#position;
			const name = quoted === null ? this.#match(namePattern)?.[0] : decodeText(quoted);
			if (name === undefined) throw unreadable;
			if (!this.#skip(':')) this.#position = start;
			entries.push([name, this.#readOperand(depth + 1)]);
			if (!this.#skip(',') && this.#script[this.#position] !== '}') throw unreadable;
		}
		return Object.fromEntries(entries);
	}

	#readList(depth: number): unknown {
		const items: unknown[] = [];
		while (!this.#skip(']')) {
			items.push(this.#readOperand(depth + 1));
			if (!this.#skip(',') && this.#script[this.#position] !== ']') throw unreadable;
		}
		if (this.#match(joinPattern) === null) return items;
		const separator = this.#readValue(depth + 1);
		if (typeof separator !== 'string' || !this.#skip(')')) throw unreadable;
		return items.join(separator);
	}
}

/** Returns a text without its quotation marks and escapes. Throws for a template with expressions. */
function decodeText([, double, single, raw, template]: RegExpExecArray): string {
	const text = double ?? single ?? template ?? '';
	if (template?.includes('${')) throw unreadable;
	if (raw !== undefined) return text;
	return text.replace(escapePattern, decodeEscape);
}

function decodeEscape(sequence: string): string {
	const [, digits] = /^\\[ux]\{?([\da-f]+)\}?$/i.exec(sequence) ?? [];
	if (digits !== undefined) return String.fromCodePoint(Math.min(0x10ffff, Number.parseInt(digits, 16)));
	const character = sequence.slice(1);
	return escapedCharacters[character] ?? character;
}
