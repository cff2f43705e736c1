/** The user's words in a summary: whole if they are short, their rules if they are long. */

import type { Slices } from '../../slices.ts';
import { injected, nameOf } from '../ledger/labels.ts';
import { harmless, quote, quoteLine } from '../ledger/quote.ts';
import type { Source } from '../ledger/source.ts';
import type { Found } from '../thread/found.ts';
import { isTyped, takenBackIn, type UserWord } from '../thread/userWords.ts';
import { tuning } from '../tuning.ts';
import type { Entry } from './entries.ts';
import { replacedWords } from './replaced.ts';
import type { Commit } from './requests.ts';
import { headingTokens, type Room, takeLine, takeLines } from './room.ts';
import { rulesOf } from './rules.ts';
import { isRequest, statementScore } from './statements.ts';
import type { KnownOfSession } from './workState.ts';

/** A message is quoted whole for its rules if it costs no more than this many times what they do. */
const maxRuleContextFactor = 2;

/**
 * If short messages of users are `fromShare` of what was said, they may take as much of the target, and more the more they
 * are, up to `maxShare`; what says most comes first, and up to `maxAsideScore` it is small talk. Chosen by the
 * conversations of `test/eval/talks/`.
 */
const talk = { fromShare: 0.5, slope: 2, maxShare: 0.95, maxAsideScore: 1 } as const;

const names = { typed: 'user', wrapped: 'user', answer: 'user, answering' } as const;

/** How a command that the user gave stands in a message that the agent made of it, with what the user added to it. */
const command = /<command-(?:name|message|args)>/;

function nameIn({ kind, text }: UserWord): string {
	return kind === 'wrapped' && !command.test(text) ? injected : names[kind];
}

function textOf(word: UserWord): string {
	const { source, text } = word;
	const name = nameIn(word);
	// No line of a client's note may look like a turn of its own.
	const said = name === injected ? quote(text).trimStart() : harmless(text);
	return `[${nameOf(source)} ${name}] ${backOf(word)}${questionOf(word)}${said}`;
}

/** The question that a message answers which says nothing without it. */
function questionOf({ asked, text }: UserWord): string {
	return asked === undefined || isRequest(text) ? '' : `(asked: ${quoteLine(asked)}) `;
}

/** Where the work for a message was committed. */
function doneIn(commits: readonly Commit[] = []): string {
	const names = commits.map(({ name, result }) => `${name} (${nameOf(result)})`);
	return names.length === 0 ? '' : ` → committed: ${names.join(', ')}`;
}

function backOf({ takenBack }: UserWord): string {
	return takenBack ? `(taken back in ${nameOf(takenBack)}) ` : '';
}

/** Share of short messages of users in all that was said, repetitions aside; 0 if tools were called. O(text). */
function shareOfUsers(sources: readonly Source[]): number {
	const said = new Set<string>();
	let all = 0;
	let users = 0;
	for (const source of sources) {
		if (source.calls.length > 0 || source.role === 'tool') return 0;
		if (said.has(source.text)) continue;
		said.add(source.text);
		all += source.text.length;
		if (isTyped(source) && source.text.length <= tuning.lengths.maxVerbatim) users += source.text.length;
	}
	return users / Math.max(1, all);
}

/** Share of the target that the user's words may take. */
function shareOfWords(ofUsers: number): number {
	if (ofUsers < talk.fromShare) return tuning.shares.userWords;
	return Math.min(talk.maxShare, talk.slope * ofUsers - talk.fromShare);
}

/** What is known of the user's words. */
export interface Speech {
	/** What was replaced by what the user said later. */
	replaced: ReadonlyMap<Source, Source>;
	/** What the user said again later in the same words. */
	repeated: ReadonlySet<Source>;
	/** By message, the commits that were made for it. */
	commits: ReadonlyMap<Source, readonly Commit[]>;
	/** Tokens that they may take. */
	maxTokens: number;
	/** Users said most, and more than fits: what says most comes first, in as few tokens as possible. */
	isTight: boolean;
}

/**
 * Returns what is known of the user's words, from all messages of a session.
 *
 * @param targetTokens tokens that the whole history comes down to
 */
export function speechOf(
	sources: readonly Source[],
	words: readonly UserWord[],
	targetTokens: number,
	count: (text: string) => number,
): Omit<Speech, 'commits'> {
	const ofUsers = shareOfUsers(sources);
	const maxTokens = Math.max(shareOfWords(ofUsers) * targetTokens, 2 * tuning.shares.minBlockTokens);
	const isTight = ofUsers >= talk.fromShare && count(words.map(textOf).join('\n')) > maxTokens;
	return { replaced: replacedWords(words), repeated: repeatedWords(words), maxTokens, isTight };
}

/**
 * What the user said in short, word for word, newest first, or in a talk what says most first; what an agent wrapped comes
 * last. Of what did not fit those are shown whole, too, that hold a rule that binds and cost little more than it.
 */
export function* spokenEntries(
	room: Room,
	said: readonly UserWord[],
	speech: Speech,
	found: Found,
): Slices<Entry[]> {
	const { replaced, repeated } = speech;
	const words = said.filter(
		({ text, source }) =>
			text.length <= tuning.lengths.maxVerbatim && !replaced.has(source) && !repeated.has(source),
	);
	const own = words.filter(({ kind }) => kind !== 'wrapped').reverse();
	const wrapped = words.filter(({ kind }) => kind === 'wrapped').reverse();
	const entries: Entry[] = [];
	const take = (word: UserWord, allowed: number): number => {
		const text =
			speech.isTight && word.kind === 'typed'
				? `- ${backOf(word)}${quoteLine(word.text)}`
				: textOf(word) + doneIn(speech.commits.get(word.source));
		const tokens = takeLine(room, 1, text, allowed);
		if (tokens > 0)
			entries.push({ seq: word.source.seq, order: -1, section: 1, label: '', text, ownLine: true });
		return tokens;
	};
	let allowed = speech.maxTokens;
	const left: UserWord[] = [];
	for (const word of [...(speech.isTight ? byScore(own) : own), ...wrapped]) {
		const tokens = take(word, allowed);
		if (tokens === 0 && word.kind === 'typed') left.push(word);
		allowed -= tokens;
	}
	yield;
	allowed = tuning.shares.aroundRules * room.whole;
	for (const word of left) {
		const rules = rulesOf([word.source], found).filter(({ binding }) => binding);
		if (rules.length === 0) continue;
		const costOfRules = rules.reduce((sum, { text }) => sum + room.count(text), headingTokens);
		allowed -= take(word, Math.min(allowed, maxRuleContextFactor * costOfRules));
	}
	return entries;
}

function repeatedWords(words: readonly UserWord[]): Set<Source> {
	const last = new Map(words.map(({ text, source }) => [text, source]));
	return new Set(words.flatMap(({ text, source }) => (last.get(text) === source ? [] : [source])));
}

/** What says most first, without small talk. */
function byScore(words: readonly UserWord[]): UserWord[] {
	return words
		.map((word) => ({ word, score: statementScore(word.text) }))
		.filter(({ score }) => score > talk.maxAsideScore)
		.sort((a, b) => b.score - a.score)
		.map(({ word }) => word);
}

/** The rules of users that are not said anywhere else: those that bind first, oldest first. */
export function ruleLines(
	room: Room,
	sources: readonly Source[],
	said: string,
	{ words, found, replaced }: Pick<KnownOfSession, 'words' | 'found' | 'replaced'>,
): string[] {
	const takenBack = takenBackIn(words);
	const rules = rulesOf(sources, found).filter(
		({ text, source }) => !takenBack.has(source) && !replaced.has(source) && !said.includes(text),
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
