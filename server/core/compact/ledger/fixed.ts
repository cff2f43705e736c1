import { filesTouched, type TouchedFile } from './filesTouched.ts';
import type { Section } from './headings.ts';
import { nameOf } from './labels.ts';
import { type Outcome, outcomesOf } from './outcomes.ts';
import { quoteLine } from './quote.ts';
import { rulesOf } from './rules.ts';
import type { Source } from './source.ts';
import { newestTodos } from './todos.ts';

/** Shares of the room that each block may take. */
const RULES = 0.6;
const ASK = 0.15;
const TODOS = 0.1;
const FILES = 0.12;
const FAILURES = 0.1;
const LAST_WORDS = 0.08;
const MOST_FAILURES = 8;

type Count = (text: string) => number;
export type Lines = Map<Section, string[]>;

/** What every summary says, in the order of its worth, as far as the room (tokens) goes. */
export function fixedLines(
	sources: readonly Source[],
	visible: readonly Source[],
	room: number,
	count: Count,
): Lines {
	const lines: Lines = new Map();
	if (room <= 0) return lines;
	let left = room;
	const put = (section: Section, most: number, body: readonly string[]) => {
		let allowed = Math.min(left, most);
		const taken = lines.get(section) ?? [];
		for (const line of body) {
			const cost = count(line) + 1;
			if (cost > allowed) continue;
			allowed -= cost;
			left -= cost;
			taken.push(line);
		}
		if (taken.length > 0) lines.set(section, taken);
	};
	put(10, room * RULES, ruleLines(sources, visible));
	put(5, room * ASK, askLines(sources, visible));
	put(5, room * TODOS, todoLines([...sources, ...visible].sort((a, b) => a.seq - b.seq)));
	const files = filesTouched(sources);
	put(9, room * FILES, [...fileLines('changed', files.changed), ...fileLines('read', files.read)]);
	const outcomes = outcomesOf(sources);
	put(4, room * FAILURES, failureLines(outcomes));
	put(7, room * LAST_WORDS, lastWords(sources, count, room * LAST_WORDS));
	return lines;
}

function ruleLines(sources: readonly Source[], visible: readonly Source[]): string[] {
	const shown = new Set(rulesOf(visible).map((rule) => rule.text));
	const rules = rulesOf(sources).filter((rule) => !shown.has(rule.text));
	const sorted = [
		...rules.filter((rule) => rule.binding),
		...rules.filter((rule) => !rule.binding).reverse(),
	];
	return sorted.map((rule) => `- ${quoteLine(rule.text)}`);
}

function askLines(sources: readonly Source[], visible: readonly Source[]): string[] {
	const asks = (some: readonly Source[]) =>
		some.filter((s) => s.role === 'user' && !s.injected && s.text.trim() !== '');
	const hidden = asks(sources).at(-1);
	const shown = asks(visible).at(-1);
	const last = hidden === undefined || (shown !== undefined && shown.seq > hidden.seq) ? shown : hidden;
	if (last === undefined) return [];
	const most = last === shown ? 160 : 600;
	const text = quoteLine(last.text.slice(0, most * 2)).slice(0, most);
	return [`- [${nameOf(last)} user] ${text}${last.text.length > text.length ? ' …' : ''}`];
}

function todoLines(sources: readonly Source[]): string[] {
	const found = newestTodos(sources);
	if (found === undefined) return [];
	const open = found.todos.filter((todo) => todo.state !== 'done');
	return open.map((todo) => `- ${todo.state === 'active' ? '(in progress) ' : ''}${quoteLine(todo.text)}`);
}

function fileLines(what: string, files: readonly TouchedFile[]): string[] {
	return [...files].reverse().map((file) => {
		const ranges = file.ranges.map(({ from, to }) => (to === from ? `${from}` : `${from}-${to ?? ''}`));
		return `- ${what} ${quoteLine(file.path)}${ranges.length > 0 ? `:${ranges.slice(-6).join(',')}` : ''} [m${file.seq}]`;
	});
}

function failureLines(outcomes: readonly Outcome[]): string[] {
	const seen = new Map<string, Outcome>();
	for (const outcome of outcomes) {
		if (!outcome.failed) continue;
		const key = `${outcome.source.toolName}\0${outcome.message}`;
		seen.delete(key);
		seen.set(key, outcome);
	}
	const all = [...seen.values()];
	const newest = all.slice(-MOST_FAILURES).map((outcome) => {
		const code = outcome.exitCode === undefined ? '' : ` exit ${outcome.exitCode}`;
		const name = outcome.call?.name ?? outcome.source.toolName ?? 'tool';
		return `- [${nameOf(outcome.source)} ${quoteLine(name)}]${code}: ${quoteLine(outcome.message) || 'failed'}`;
	});
	if (all.length > MOST_FAILURES) newest.push(`- …and ${all.length - MOST_FAILURES} more`);
	return newest;
}

function lastWords(sources: readonly Source[], count: Count, most: number): string[] {
	const last = sources.findLast((source) => source.role === 'assistant' && source.text.trim() !== '');
	if (last === undefined) return [];
	let text = quoteLine(last.text.slice(-600));
	while (text.length > 40 && count(text) + 8 > most) text = text.slice(-Math.floor(text.length / 2));
	return [`[${nameOf(last)}] ${last.text.length > 600 ? '… ' : ''}${text}`];
}
