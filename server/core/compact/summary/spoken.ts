/** The user's words as a summary says them: whole where they are short, their rules where they are long. */

import { injected, nameOf } from '../ledger/labels.ts';
import { harmless, quote, quoteLine } from '../ledger/quote.ts';
import type { Source } from '../ledger/source.ts';
import type { Found } from '../thread/found.ts';
import { isTyped, type UserWord, userWords } from '../thread/userWords.ts';
import { tuning } from '../tuning.ts';
import type { Entry } from './entries.ts';
import { type Room, takeLine, takeLines } from './room.ts';
import { rulesOf } from './rules.ts';

/** A message is quoted whole for its rules if it costs no more than this many times what they do. */
const maxRuleContextFactor = 2;

const names = { typed: 'user', wrapped: 'user', answer: 'user, answering' } as const;

/** How a command that the user gave stands in a message that the agent made of it, with what the user added to it. */
const command = /<command-(?:name|message|args)>/;

function nameIn({ kind, text }: UserWord): string {
	return kind === 'wrapped' && !command.test(text) ? injected : names[kind];
}

function textOf(word: UserWord): string {
	const { source, text, takenBack } = word;
	const back = takenBack ? ` (taken back in ${nameOf(takenBack)})` : '';
	const name = nameIn(word);
	// No line of a client's note may look like a turn of its own.
	const said = name === injected ? quote(text).trimStart() : harmless(text);
	return `[${nameOf(source)} ${name}]${back} ${said}`;
}

/**
 * What the user said in short, word for word, newest first as far as `most` tokens go; what an agent wrapped goes last.
 * Of what did not fit those are told whole, too, that hold a rule that binds and cost little more: it is told in any case.
 */
export function spokenEntries(room: Room, sources: readonly Source[], most: number, found: Found): Entry[] {
	const words = userWords(sources).filter((word) => word.text.length <= tuning.lengths.maxVerbatim);
	const [wrapped, own] = [true, false].map((isWrapped) =>
		words.filter(({ kind }) => (kind === 'wrapped') === isWrapped).reverse(),
	);
	const entries: Entry[] = [];
	const take = (word: UserWord, allowed: number): number => {
		const text = textOf(word);
		const tokens = takeLine(room, 6, text, allowed);
		if (tokens > 0)
			entries.push({ seq: word.source.seq, order: -1, section: 6, label: '', text, ownLine: true });
		return tokens;
	};
	let allowed = most;
	const left: UserWord[] = [];
	for (const word of [...(own ?? []), ...(wrapped ?? [])]) {
		const tokens = take(word, allowed);
		if (tokens === 0 && word.kind === 'typed') left.push(word);
		allowed -= tokens;
	}
	allowed = tuning.shares.aroundRules * room.whole;
	for (const word of left) {
		const rules = rulesOf([word.source], found).filter(({ binding }) => binding);
		if (rules.length === 0) continue;
		const costOfRules = rules.reduce(
			(sum, { text }) => sum + room.count(text),
			tuning.selection.headingTokens,
		);
		allowed -= take(word, Math.min(allowed, maxRuleContextFactor * costOfRules));
	}
	return entries;
}

/** The rules of users that are not said anywhere else: those that bind first, oldest first. */
export function ruleLines(room: Room, sources: readonly Source[], said: string, found: Found): string[] {
	const takenBack = new Set(userWords(sources).flatMap((word) => (word.takenBack ? [word.source] : [])));
	const rules = rulesOf(sources, found).filter(
		({ text, source }) => !takenBack.has(source) && !said.includes(text),
	);
	const lines = (binding: boolean): string[] =>
		rules
			.filter((rule) => rule.binding === binding)
			.map(({ text }) => (/^[-*•]\s/.test(text) ? ` ${quoteLine(text)}` : `- ${quoteLine(text)}`));
	const most = tuning.shares.rules * room.whole;
	return [
		...takeLines(room, 10, lines(true), most),
		...takeLines(room, 10, lines(false).reverse(), tuning.shares.looseRules * most),
	];
}

/** The words of the messages that stay beside the summary and were typed. */
export function visibleWords(visible: readonly Source[]): string {
	return visible
		.filter(isTyped)
		.map(({ text }) => text)
		.join('\n');
}
