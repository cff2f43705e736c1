/** One word of a script; `known` is false where only a running shell could tell its text. */
export interface ShellWord {
	t: 'word';
	text: string;
	known: boolean;
}

interface ShellOperator {
	t: 'operator';
	text: string;
	/** The number right before a redirection. */
	descriptor?: string;
}

/** The text under a `<<`. */
interface HereDocument {
	t: 'document';
	text: string;
}

export type ShellToken = ShellWord | ShellOperator | HereDocument;

/** Longest first, so that the first that fits is the right one. */
const operators = [
	'&>>',
	'<<<',
	'<<-',
	'&&',
	'||',
	';;',
	'|&',
	'>>',
	'>|',
	'<<',
	'<&',
	'>&',
	'&>',
	'<>',
	';',
	'|',
	'&',
	'<',
	'>',
	'(',
	')',
	'\n',
] as const;
const wordEnds = new Set([' ', '\t', '\r', '\n', ';', '|', '&', '<', '>', '(', ')']);
const openText = new Set(['*', '?', '[', '{']);
const maxNesting = 32;

/**
 * The words and operators of a POSIX-like script, with its quoting undone; undefined where the script
 * does not close what it opens. What only a shell can know (variables, substitutions, patterns) makes
 * a word unknown. Linear in the script.
 */
export function shellTokens(script: string): ShellToken[] | undefined {
	const tokens: ShellToken[] = [];
	const awaited: { delimiter: string; tabs: boolean }[] = [];
	let at = 0;
	while (at < script.length) {
		const char = script[at] ?? '';
		if (char === ' ' || char === '\t' || char === '\r') {
			at++;
		} else if (char === '\\' && script[at + 1] === '\n') {
			at += 2;
		} else if (char === '#') {
			const end = script.indexOf('\n', at);
			at = end < 0 ? script.length : end;
		} else {
			const operator = operators.find((text) => script.startsWith(text, at));
			if (operator === undefined) {
				const word = readWord(script, at, 0);
				if (word === undefined) return undefined;
				at = word.end;
				const before = tokens.at(-1);
				if (before?.t === 'operator' && (before.text === '<<' || before.text === '<<-')) {
					awaited.push({ delimiter: word.token.text, tabs: before.text === '<<-' });
				}
				const numbersRedirection =
					(script[at] === '<' || script[at] === '>') && /^\d{1,3}$/.test(script.slice(word.start, at));
				if (!numbersRedirection) {
					tokens.push(word.token);
					continue;
				}
				const redirection = operators.find((text) => script.startsWith(text, at)) ?? '>';
				tokens.push({ t: 'operator', text: redirection, descriptor: word.token.text });
				at += redirection.length;
				continue;
			}
			at += operator.length;
			if (operator === '\n' && awaited.length > 0) {
				const documents = readDocuments(script, at, awaited.splice(0));
				if (documents === undefined) return undefined;
				tokens.push(...documents.tokens);
				at = documents.end;
			}
			tokens.push({ t: 'operator', text: operator });
		}
	}
	return awaited.length > 0 ? undefined : tokens;
}

function readWord(
	script: string,
	start: number,
	depth: number,
): { token: ShellWord; start: number; end: number } | undefined {
	const pieces: string[] = [];
	let known = true;
	let at = start;
	while (at < script.length) {
		const char = script[at] ?? '';
		if (wordEnds.has(char)) break;
		if (char === "'") {
			const end = script.indexOf("'", at + 1);
			if (end < 0) return undefined;
			pieces.push(script.slice(at + 1, end));
			at = end + 1;
		} else if (char === '"') {
			const quoted = readDoubleQuoted(script, at + 1, depth);
			if (quoted === undefined) return undefined;
			pieces.push(quoted.text);
			known = known && quoted.known;
			at = quoted.end;
		} else if (char === '\\') {
			if (script[at + 1] !== '\n') pieces.push(script[at + 1] ?? '');
			at += 2;
		} else if (char === '$' || char === '`') {
			const end = skipExpansion(script, at, depth);
			if (end === undefined) return undefined;
			known = false;
			at = end;
		} else {
			if (openText.has(char)) known = false;
			pieces.push(char);
			at++;
		}
	}
	return { token: { t: 'word', text: pieces.join(''), known }, start, end: Math.min(at, script.length) };
}

function readDoubleQuoted(
	script: string,
	start: number,
	depth: number,
): { text: string; known: boolean; end: number } | undefined {
	const pieces: string[] = [];
	let known = true;
	let at = start;
	while (at < script.length) {
		const char = script[at] ?? '';
		if (char === '"') return { text: pieces.join(''), known, end: at + 1 };
		if (char === '\\') {
			const next = script[at + 1] ?? '';
			if ('$`"\\'.includes(next)) pieces.push(next);
			else if (next !== '\n') pieces.push(char, next);
			at += 2;
		} else if (char === '`' || (char === '$' && isExpansion(script[at + 1]))) {
			const end = skipExpansion(script, at, depth + 1);
			if (end === undefined) return undefined;
			known = false;
			at = end;
		} else {
			pieces.push(char);
			at++;
		}
	}
	return undefined;
}

function isExpansion(next: string | undefined): boolean {
	return next !== undefined && /[A-Za-z0-9_({@*#?$!-]/.test(next);
}

/** Where the `$...` or `` `...` `` at this place ends; undefined where it does not. */
function skipExpansion(script: string, start: number, depth: number): number | undefined {
	if (script[start] === '`') {
		for (let at = start + 1; at < script.length; at++) {
			if (script[at] === '\\') at++;
			else if (script[at] === '`') return at + 1;
		}
		return undefined;
	}
	const next = script[start + 1];
	if (next === '(') return skipBracket(script, start + 2, ')', depth);
	if (next === '{') return skipBracket(script, start + 2, '}', depth);
	if (next === "'") {
		for (let at = start + 2; at < script.length; at++) {
			if (script[at] === '\\') at++;
			else if (script[at] === "'") return at + 1;
		}
		return undefined;
	}
	let at = start + 1;
	while (at < script.length && /\w/.test(script[at] ?? '')) at++;
	return at === start + 1 && next !== undefined && !wordEnds.has(next) && next !== '"' ? at + 1 : at;
}

function skipBracket(script: string, start: number, close: ')' | '}', depth: number): number | undefined {
	if (depth > maxNesting) return undefined;
	const awaited: { delimiter: string; tabs: boolean }[] = [];
	let at = start;
	while (at < script.length) {
		const char = script[at] ?? '';
		if (char === close) return at + 1;
		if (char === '\\') at += 2;
		else if (char === "'") {
			const end = script.indexOf("'", at + 1);
			if (end < 0) return undefined;
			at = end + 1;
		} else if (char === '"') {
			const quoted = readDoubleQuoted(script, at + 1, depth + 1);
			if (quoted === undefined) return undefined;
			at = quoted.end;
		} else if (char === '`' || (char === '$' && (script[at + 1] === '(' || script[at + 1] === '{'))) {
			const end = skipExpansion(script, at, depth + 1);
			if (end === undefined) return undefined;
			at = end;
		} else if (char === '(' && close === ')') {
			const end = skipBracket(script, at + 1, ')', depth + 1);
			if (end === undefined) return undefined;
			at = end;
		} else if (close === ')' && script.startsWith('<<', at) && script[at + 2] !== '<') {
			const tabs = script[at + 2] === '-';
			let begin = at + (tabs ? 3 : 2);
			while (script[begin] === ' ') begin++;
			const word = readWord(script, begin, depth + 1);
			if (word === undefined) return undefined;
			awaited.push({ delimiter: word.token.text, tabs });
			at = Math.max(word.end, at + 2);
		} else if (char === '\n' && awaited.length > 0) {
			const documents = readDocuments(script, at + 1, awaited.splice(0));
			if (documents === undefined) return undefined;
			at = documents.end;
		} else at++;
	}
	return undefined;
}

/** The documents that begin at this line start, one after the other. */
function readDocuments(
	script: string,
	start: number,
	awaited: readonly { delimiter: string; tabs: boolean }[],
): { tokens: HereDocument[]; end: number } | undefined {
	const tokens: HereDocument[] = [];
	let at = start;
	for (const { delimiter, tabs } of awaited) {
		const begin = at;
		let closed = false;
		while (!closed) {
			if (at >= script.length) return undefined;
			const feed = script.indexOf('\n', at);
			const end = feed < 0 ? script.length : feed;
			const line = script.slice(at, end);
			if ((tabs ? line.replace(/^\t+/, '') : line) === delimiter) {
				tokens.push({ t: 'document', text: script.slice(begin, at) });
				closed = true;
			}
			at = end + 1;
		}
	}
	return { tokens, end: Math.min(at, script.length) };
}
