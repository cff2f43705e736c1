import { finalWords, firstWords } from './cutWords.ts';
import type { TouchedFile, TouchedFiles } from './filesTouched.ts';
import { nameOf } from './labels.ts';
import type { Outcome } from './outcomes.ts';
import { quoteLine } from './quote.ts';
import { rulesOf } from './rules.ts';
import type { Source } from './source.ts';
import { newestTodos } from './todos.ts';

/** Lines a file's list of ranges is cut to, the last ones. */
const MOST_RANGES = 6;
/** Lines that read tools show at most where nothing was said. */
const WHOLE = 2000;
/** UTF-16 units of a request that stands in the history anyway, and of one that does not. */
const SHOWN_ASK = 160;
const HIDDEN_ASK = 600;
const LONGEST_STEP = 200;
const NEXT_WORDS =
	/\b(?:next|now|let me|let's|i'll|i will|i need to|then|remaining|todo)\b|次に|続いて|まず/i;

/** The rules of users, word for word: those that bind, oldest first; other advice, newest first. */
export function ruleLines(
	sources: readonly Source[],
	visible: readonly Source[],
): { binding: string[]; advice: string[] } {
	// One that stands in a visible message is not said again.
	const shown = new Set(rulesOf(visible).map((rule) => rule.text));
	const rules = rulesOf(sources).filter((rule) => !shown.has(rule.text));
	const lines = (some: typeof rules) =>
		some.map(({ text }) => (/^[-*•]\s/.test(text) ? ` ${quoteLine(text)}` : `- ${quoteLine(text)}`));
	return {
		binding: lines(rules.filter((rule) => rule.binding)),
		advice: lines(rules.filter((rule) => !rule.binding)).reverse(),
	};
}

function typed(sources: readonly Source[]): Source[] {
	return sources.filter((source) => source.role === 'user' && !source.injected && source.text.trim() !== '');
}

/** Where the first request stands, if it is visible. */
export function requestLines(visible: readonly Source[]): string[] {
	const first = typed(visible)[0];
	return first === undefined ? [] : [`- [${nameOf(first)} user] stands in the history, word for word.`];
}

/** The last request of the user, wherever it stands. */
export function askLines(sources: readonly Source[], visible: readonly Source[]): string[] {
	const hidden = typed(sources).at(-1);
	const shown = typed(visible).at(-1);
	if (shown !== undefined && (hidden === undefined || shown.seq > hidden.seq))
		return [askLine(shown, SHOWN_ASK)];
	return hidden === undefined ? [] : [askLine(hidden, HIDDEN_ASK), askLine(hidden, SHOWN_ASK)];
}

/** What the user asked for between the first and the last request, newest first. */
export function evolutionLines(sources: readonly Source[]): string[] {
	return typed(sources)
		.slice(0, -1)
		.reverse()
		.map((source) => askLine(source, SHOWN_ASK));
}

function askLine(source: Source, most: number): string {
	const text = quoteLine(firstWords(source.text, most * 2));
	return `- [${nameOf(source)} user] ${firstWords(text, most)}${text.length > most || source.text.length > most * 2 ? ' …' : ''}`;
}

/** What is open in the newest list of tasks. */
export function todoLines(sources: readonly Source[]): string[] {
	const open = (newestTodos(sources)?.todos ?? []).filter((todo) => todo.state !== 'done');
	return open.map((todo) => `- ${todo.state === 'active' ? '(in progress) ' : ''}${quoteLine(todo.text)}`);
}

/** The files changed, then those read, each the newest first. */
export function fileLines(files: TouchedFiles): string[] {
	const line = (what: string) => (file: TouchedFile) => {
		// Asked for from the start and that far: the file as a whole.
		const isWhole = file.ranges.some(({ from, to }) => from === 1 && (to === undefined || to >= WHOLE));
		const shown = isWhole ? [] : file.ranges.slice(-MOST_RANGES);
		const ranges = shown.map(({ from, to }) => (to === from ? `${from}` : `${from}-${to ?? ''}`));
		const lines = ranges.length === 0 ? '' : `:${ranges.join(',')}`;
		return `- ${what} ${quoteLine(file.path)}${lines}`;
	};
	return [...files.changed.toReversed().map(line('changed')), ...files.read.toReversed().map(line('read'))];
}

/** Failed results, each message once, oldest first. */
export function failureLines(outcomes: readonly Outcome[]): string[] {
	const lines = new Map<string, string>();
	for (const { source, call, exitCode, failed, message } of outcomes) {
		if (!failed) continue;
		const tool = quoteLine(call?.name ?? source.toolName ?? 'tool');
		const key = `${tool}\0${exitCode}\0${message}`;
		const code = exitCode === undefined ? '' : ` exit ${exitCode}`;
		lines.delete(key);
		lines.set(key, `- [${nameOf(source)} ${tool}]${code}: ${quoteLine(message) || 'failed'}`);
	}
	return [...lines.values()];
}

/** The last words of the assistant, in several lengths, the longest first. */
export function lastWords(sources: readonly Source[]): string[] {
	const last = sources.findLast((source) => source.role === 'assistant' && source.text.trim() !== '');
	if (last === undefined) return [];
	return [600, 300, 150, 80].map((most) => {
		const cut = last.text.length > most ? '… ' : '';
		return `[${nameOf(last)}] ${cut}${quoteLine(finalWords(last.text, most))}`;
	});
}

/** The last sentence in which the assistant said what it would do, if its newest words hold one. */
export function nextLines(sources: readonly Source[]): string[] {
	const last = sources.findLast((source) => source.role === 'assistant' && source.text.trim() !== '');
	const sentences = last?.text.slice(-2000).split(/(?<=[.!?:。])\s+|\n+/) ?? [];
	const step = sentences.findLast((each) => each.length <= LONGEST_STEP && NEXT_WORDS.test(each));
	return last === undefined || step === undefined ? [] : [`- [${nameOf(last)}] ${quoteLine(step)}`];
}
