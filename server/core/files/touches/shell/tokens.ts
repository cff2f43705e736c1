/** One word of a script; `isKnown` is false if only a running shell can determine its text. */
export interface ShellWord {
	t: 'word';
	text: string;
	isKnown: boolean;
}

interface ShellOperator {
	t: 'operator';
	text: string;
	/** The file descriptor directly before a redirection. */
	descriptor?: string;
}

/** Text of a here-document (`<<`). */
interface HereDocument {
	t: 'document';
	text: string;
}

export type ShellToken = ShellWord | ShellOperator | HereDocument;

/** The operators, longest first, so that the first match is correct. */
const shellOperators = [
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
const wordEndCharacters = new Set([' ', '\t', '\r', '\n', ';', '|', '&', '<', '>', '(', ')']);
/** Operators that end a command. */
const separators = new Set<string>([';', '\n', '&&', '||', '&', '|', '|&']);
const expansionCharacters = new Set(['*', '?', '[', '{']);
const maxNesting = 32;

/** The values of variables that the script itself sets to a plain text, by name. */
type Variables = Map<string, string>;

/** The setting of a variable. Only a plain value stays one word when the variable is used without quotes. */
const assignmentPattern = /^([A-Za-z_]\w{0,100})=([^\s*?[{]*)/;

/**
 * Returns the words and operators of a POSIX-like script, unquoted; undefined if a quote or bracket is not closed. A
 * word with substitutions, patterns, or variables that the script does not set, is unknown, because only a shell can
 * determine its text. Linear in the script.
 */
export function tokenizeShell(script: string): ShellToken[] | undefined {
	const tokens: ShellToken[] = [];
	const variables: Variables = new Map();
	/** Index of the first token of the current command. */
	let commandStart = 0;
	const pendingDocuments: { delimiter: string; stripsTabs: boolean }[] = [];
	/** The file descriptor directly before the next operator, which is a redirection. */
	let descriptor: string | undefined;
	let index = 0;
	while (index < script.length) {
		const char = script[index] ?? '';
		if (char === ' ' || char === '\t' || char === '\r') {
			index++;
		} else if (char === '\\' && script[index + 1] === '\n') {
			index += 2;
		} else if (char === '#') {
			const end = script.indexOf('\n', index);
			index = end < 0 ? script.length : end;
		} else {
			const operator = shellOperators.find((text) => script.startsWith(text, index));
			if (operator === undefined) {
				const word = readWord(script, index, 0, variables);
				if (word === undefined) return undefined;
				const before = tokens.at(-1);
				if (before?.t === 'operator' && (before.text === '<<' || before.text === '<<-'))
					pendingDocuments.push({ delimiter: word.token.text, stripsTabs: before.text === '<<-' });
				const isBeforeRedirection = script[word.end] === '<' || script[word.end] === '>';
				if (isBeforeRedirection && /^\d{1,3}$/.test(script.slice(index, word.end)))
					descriptor = word.token.text;
				else tokens.push(word.token);
				index = word.end;
				continue;
			}
			index += operator.length;
			if (separators.has(operator)) setVariables(tokens.slice(commandStart), variables);
			if (operator === '\n' && pendingDocuments.length > 0) {
				const documents = readHereDocuments(script, index, pendingDocuments.splice(0));
				if (documents === undefined) return undefined;
				for (const document of documents.tokens) tokens.push(document);
				index = documents.end;
			}
			tokens.push({ t: 'operator', text: operator, ...(descriptor !== undefined && { descriptor }) });
			descriptor = undefined;
			if (separators.has(operator)) commandStart = tokens.length;
		}
	}
	return pendingDocuments.length > 0 ? undefined : tokens;
}

/** Records the variables that a command without a program sets. */
function setVariables(command: readonly ShellToken[], variables: Variables): void {
	const words = command.filter((token) => token.t === 'word');
	const assignments = words[0]?.text === 'export' ? words.slice(1) : words;
	const matches = assignments.map(({ text }) => assignmentPattern.exec(text));
	if (words.length < command.length || matches.includes(null)) return;
	for (const [index, match] of matches.entries()) {
		const { text, isKnown } = assignments[index] as ShellWord;
		const [all, name = '', value = ''] = match as RegExpExecArray;
		if (isKnown && all.length === text.length) variables.set(name, value);
		else variables.delete(name);
	}
}

/** Returns the value of the variable that an expansion names: `$NAME` or `${NAME}`. */
function findVariable(expansion: string, variables: Variables): string | undefined {
	return variables.get(/^\$(?:\{(\w+)\}|(\w+))$/.exec(expansion)?.slice(1).find(Boolean) ?? '');
}

const noVariables: Variables = new Map();

function readWord(
	text: string,
	start: number,
	depth: number,
	variables = noVariables,
): { token: ShellWord; end: number } | undefined {
	const characters: string[] = [];
	let isKnown = true;
	let index = start;
	while (index < text.length) {
		const char = text[index] ?? '';
		if (wordEndCharacters.has(char)) break;
		if (char === "'") {
			const end = text.indexOf("'", index + 1);
			if (end < 0) return undefined;
			characters.push(text.slice(index + 1, end));
			index = end + 1;
		} else if (char === '"') {
			const quotation = readDoubleQuoted(text, index + 1, depth, variables);
			if (quotation === undefined) return undefined;
			characters.push(quotation.text);
			isKnown = isKnown && quotation.isKnown;
			index = quotation.end;
		} else if (char === '\\') {
			if (text[index + 1] !== '\n') characters.push(text[index + 1] ?? '');
			index += 2;
		} else if (char === '$' || char === '`') {
			const end = skipExpansion(text, index, depth);
			if (end === undefined) return undefined;
			const value = findVariable(text.slice(index, end), variables);
			isKnown = isKnown && value !== undefined;
			characters.push(value ?? '');
			index = end;
		} else {
			if (expansionCharacters.has(char)) isKnown = false;
			characters.push(char);
			index++;
		}
	}
	return { token: { t: 'word', text: characters.join(''), isKnown }, end: Math.min(index, text.length) };
}

function readDoubleQuoted(
	script: string,
	start: number,
	depth: number,
	variables = noVariables,
): { text: string; isKnown: boolean; end: number } | undefined {
	const characters: string[] = [];
	let isKnown = true;
	let index = start;
	while (index < script.length) {
		const char = script[index] ?? '';
		if (char === '"') return { text: characters.join(''), isKnown, end: index + 1 };
		if (char === '\\') {
			const next = script[index + 1] ?? '';
			if ('$`"\\'.includes(next)) characters.push(next);
			else if (next !== '\n') characters.push(char, next);
			index += 2;
		} else if (char === '`' || (char === '$' && isExpansion(script[index + 1]))) {
			const end = skipExpansion(script, index, depth + 1);
			if (end === undefined) return undefined;
			const value = findVariable(script.slice(index, end), variables);
			isKnown = isKnown && value !== undefined;
			characters.push(value ?? '');
			index = end;
		} else {
			characters.push(char);
			index++;
		}
	}
	return undefined;
}

function isExpansion(next: string | undefined): boolean {
	return next !== undefined && /[A-Za-z0-9_({@*#?$!-]/.test(next);
}

/** Returns the index after the next quote that no backslash escapes; undefined if there is none. */
function skipToQuote(script: string, start: number, quote: string): number | undefined {
	for (let index = start; index < script.length; index++) {
		if (script[index] === '\\') index++;
		else if (script[index] === quote) return index + 1;
	}
	return undefined;
}

/** Returns the end of the `$...` or `` `...` `` at this index; undefined if the expansion is not closed. */
function skipExpansion(script: string, start: number, depth: number): number | undefined {
	if (script[start] === '`') return skipToQuote(script, start + 1, '`');
	const next = script[start + 1];
	if (next === '(') return skipBracket(script, start + 2, ')', depth);
	if (next === '{') return skipBracket(script, start + 2, '}', depth);
	if (next === "'") return skipToQuote(script, start + 2, "'");
	let index = start + 1;
	while (index < script.length && /\w/.test(script[index] ?? '')) index++;
	return index === start + 1 && next !== undefined && !wordEndCharacters.has(next) && next !== '"'
		? index + 1
		: index;
}

function skipBracket(script: string, start: number, close: ')' | '}', depth: number): number | undefined {
	if (depth > maxNesting) return undefined;
	const pendingDocuments: { delimiter: string; stripsTabs: boolean }[] = [];
	let index = start;
	while (index < script.length) {
		const char = script[index] ?? '';
		if (char === close) return index + 1;
		if (char === '\\') index += 2;
		else if (char === "'") {
			const end = script.indexOf("'", index + 1);
			if (end < 0) return undefined;
			index = end + 1;
		} else if (char === '"') {
			const quotation = readDoubleQuoted(script, index + 1, depth + 1);
			if (quotation === undefined) return undefined;
			index = quotation.end;
		} else if (char === '`' || (char === '$' && (script[index + 1] === '(' || script[index + 1] === '{'))) {
			const end = skipExpansion(script, index, depth + 1);
			if (end === undefined) return undefined;
			index = end;
		} else if (char === '(' && close === ')') {
			const end = skipBracket(script, index + 1, ')', depth + 1);
			if (end === undefined) return undefined;
			index = end;
		} else if (close === ')' && script.startsWith('<<', index) && script[index + 2] !== '<') {
			const stripsTabs = script[index + 2] === '-';
			let begin = index + (stripsTabs ? 3 : 2);
			while (script[begin] === ' ') begin++;
			const word = readWord(script, begin, depth + 1);
			if (word === undefined) return undefined;
			pendingDocuments.push({ delimiter: word.token.text, stripsTabs });
			index = Math.max(word.end, index + 2);
		} else if (char === '\n' && pendingDocuments.length > 0) {
			const documents = readHereDocuments(script, index + 1, pendingDocuments.splice(0));
			if (documents === undefined) return undefined;
			index = documents.end;
		} else index++;
	}
	return undefined;
}

/** Reads the consecutive here-documents that begin at this line start. */
function readHereDocuments(
	script: string,
	start: number,
	pendingDocuments: readonly { delimiter: string; stripsTabs: boolean }[],
): { tokens: HereDocument[]; end: number } | undefined {
	const tokens: HereDocument[] = [];
	let index = start;
	for (const { delimiter, stripsTabs } of pendingDocuments) {
		const begin = index;
		let isClosed = false;
		while (!isClosed) {
			if (index >= script.length) return undefined;
			const lineEnd = script.indexOf('\n', index);
			const end = lineEnd < 0 ? script.length : lineEnd;
			const line = script.slice(index, end);
			if ((stripsTabs ? line.replace(/^\t+/, '') : line) === delimiter) {
				tokens.push({ t: 'document', text: script.slice(begin, index) });
				isClosed = true;
			}
			index = end + 1;
		}
	}
	return { tokens, end: Math.min(index, script.length) };
}
