/**
 * Verifies a model's summary as far as possible. Rules, constraints and quotations of the user must appear in a typed
 * message. Otherwise, instructions in a tool result could reappear as the user's own.
 */

import { isStrictRule } from '../analysis/text/ruleWords.ts';
import type { SummaryStyle } from '../compact/policy.ts';
import { emptySectionPattern, noSection, parseHeading, type SectionRules } from './sections.ts';

/** Minimum words of a quotation, or characters in scripts without spaces. Shorter quotations may be names. */
const minQuotation = { words: 3, characters: 6 } as const;

export interface VerifiedSummary {
	text: string;
	/** Removed or changed items, as the model wrote them. */
	dropped: string[];
}

const bulletPattern = /^(\s*(?:[-*•]|\d+[.)])\s+)/;
const quotationPattern =
	/"([^"\n]+)"|“([^“”\n]+)”|„([^„“”\n]+)[“”]|«([^«»\n]+)»|「([^「」\n]+)」|『([^『』\n]+)』|(?<![\p{L}\p{N}])['‘]([^'‘’\n]*(?:[\p{L}]['’][\p{L}][^'‘’\n]*)*)['’](?![\p{L}\p{N}])/gu;
const userMentionPattern =
	/\busers?\b|\buser['’]s\b|\bhuman\b|\bcustomer\b|\busuari[oa]s?\b|\b(?:be)?nutzer\w*|\butilisateur|用户|用戶|使用者|ユーザ/i;

function splitSentences(item: string): string[] {
	return item.split(/(?<=[.!?])\s+|(?<=[。！？])|\n/).filter((sentence) => sentence.trim() !== '');
}

function findQuotations(text: string): string[] {
	const withoutCode = text.replace(/`[^`\n]*`/g, ' ');
	return [...withoutCode.matchAll(quotationPattern)].map(
		(match) => match.slice(1).find((words) => words) ?? '',
	);
}

function isLongEnough(words: string): boolean {
	const text = words.trim();
	return (
		text.split(/\s+/).length >= minQuotation.words ||
		(denseScriptPattern.test(text) && text.length >= minQuotation.characters)
	);
}

/** Returns the part of an item that the user typed as a rule; undefined if there is none. */
function verifyRule(item: string, texts: UserTextMatcher): string | undefined {
	if (emptySectionPattern.test(item)) return item;
	const head = bulletPattern.exec(item)?.[1] ?? '';
	const words = item.slice(head.length);
	if (texts.hasRule(words)) return item;
	const userQuotations = findQuotations(words).filter(
		(quotation) => isLongEnough(quotation) && texts.hasRule(quotation),
	);
	if (userQuotations.length > 0)
		return `${head}${userQuotations.map((quotation) => `"${quotation}"`).join(' ')}`;
	const sentences = splitSentences(words).filter(
		(sentence) => !emptySectionPattern.test(sentence) && texts.hasRule(sentence),
	);
	return sentences.length > 0 ? `${head}${sentences.join(' ')}` : undefined;
}

/** Whether every quotation of an item is true: said by the user if the item mentions the user, else by anyone. */
function areQuotationsTrue(
	item: string,
	rules: SectionRules,
	texts: UserTextMatcher,
	isSaidByOthers: (words: string) => boolean,
): boolean {
	const isOfUser = userMentionPattern.test(item);
	return findQuotations(item).every((words) => {
		if (!isOfUser && !isLongEnough(words)) return true;
		if (texts.hasQuote(words)) return true;
		return !isOfUser && !rules.quotesUser && isSaidByOthers(words);
	});
}

/** Splits a text into items: a bullet with its continuation lines, or a single line. Code stays line by line. */
function splitItems(text: string): { item: string; isCode: boolean }[] {
	const items: { item: string; isCode: boolean }[] = [];
	let isCode = false;
	for (const line of text.split('\n')) {
		const isFence = line.trimStart().startsWith('```');
		const last = items.at(-1);
		const isContinuation =
			!isCode && !isFence && last && !last.isCode && bulletPattern.test(last.item) && /^\s+\S/.test(line);
		if (isContinuation && !bulletPattern.test(line)) last.item += `\n${line}`;
		else items.push({ item: line, isCode: isCode || isFence });
		if (isFence) isCode = !isCode;
	}
	return items;
}

/**
 * Removes items that a summary wrongly attributes to the user. O(summary × messages).
 * @param typed texts that users typed
 * @param others all other texts, including those of tools
 */
export function verifySummary(
	summary: string,
	{ typed, others }: { typed: readonly string[]; others: readonly string[] },
	style: SummaryStyle,
): VerifiedSummary {
	const texts = createUserTextMatcher(typed);
	let plainOthers: string[] | undefined;
	const saidByOthers = (words: string): boolean => {
		plainOthers ??= others.map(toComparableLine);
		const parts = words.split(/…|\.\.\./).map(toComparableLine);
		return parts.every((part) => plainOthers?.some((text) => text.includes(part)));
	};
	const trueItems: string[] = [];
	const dropped: string[] = [];
	let rules = noSection;
	const addItem = (item: string, isCode: boolean): void => {
		const isRule =
			rules.isRules || (rules.canContainRules && isStrictRule(item) && userMentionPattern.test(item));
		const verifiedItem = isRule ? verifyRule(item, texts) : item;
		const isTrue =
			verifiedItem !== undefined &&
			(isRule || isCode || areQuotationsTrue(verifiedItem, rules, texts, saidByOthers));
		if (isTrue) trueItems.push(verifiedItem);
		if (!isTrue || verifiedItem !== item) dropped.push(item.trim());
	};
	for (const { item, isCode } of splitItems(summary)) {
		const heading = isCode ? undefined : parseHeading(item, style);
		if (!heading) {
			addItem(item, isCode);
			continue;
		}
		rules = heading.rules;
		const { rest } = heading;
		trueItems.push(rest === '' ? item : item.slice(0, item.length - rest.length).trimEnd());
		if (rest !== '') addItem(rest, false);
	}
	return { text: trueItems.join('\n'), dropped };
}

/** Marks that do not change the wording. */
const formattingMarkPattern = /[*_`"'“”‘’„«»「」『』]/g;
/** Characters of scripts without spaces, whose languages negate after the verb. */
const denseScriptPattern = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]/;
const letterPattern = /[\p{L}\p{N}]/u;
const sentenceEndPattern = /[.!?。！？]/;

/** Words that negate the rest of a sentence or make it conditional. Without apostrophes. */
const negationPattern =
	/\b(?:not|never|no|nor|dont|doesnt|didnt|isnt|arent|wont|cant|cannot|mustnt|shouldnt|neednt|without|unless|if|when|until|except|avoid|stop|forbid\w*|instead of|rather than|nicht|kein\w*|nie|niemals|ohne|wenn|falls|bevor|ne|pas|jamais|sans|si|nunca|sin|cuando|non|mai)\b|[不别別勿沒没]|如果|除非|もし|場合/u;

/** Words that make the text before them conditional. */
const conditionPattern =
	/\b(?:unless|if|when|until|except|only|but not|wenn|falls|außer|nur|sauf|seulement|salvo|solo|si)\b|如果|除非|場合/u;

/** Normalizes a text for comparison: drops case, formatting marks, empty lines and extra spaces. Linear in the text. */
export function normalizeForComparison(text: string): string {
	return text
		.normalize('NFKC')
		.toLowerCase()
		.split('\n')
		.map((line) =>
			line
				.trim()
				.replace(/^[*•]\s+/, '- ')
				.replace(formattingMarkPattern, '')
				.replace(/\s+/g, ' ')
				.trim(),
		)
		.filter((line) => line !== '')
		.join('\n');
}

/** Normalizes a text for comparison and joins its lines. */
function toComparableLine(text: string): string {
	return normalizeForComparison(text).replaceAll('\n', ' ');
}

const stopCharacterPattern = /[\s\-–—:;,.!?。！？、，]/;

/** Returns a text on one line, without punctuation and dashes at its ends. */
function trimPunctuation(text: string): string {
	const line = toComparableLine(text);
	let start = 0;
	let end = line.length;
	while (start < end && stopCharacterPattern.test(line[start] ?? '')) start++;
	while (end > start && stopCharacterPattern.test(line[end - 1] ?? '')) end--;
	return line.slice(start, end);
}

function isWholeWord(text: string, from: number, to: number): boolean {
	const isDense = denseScriptPattern.test(text[from] ?? '') || denseScriptPattern.test(text[to - 1] ?? '');
	if (isDense) return !denseScriptPattern.test(text[to] ?? '') || sentenceEndPattern.test(text[to] ?? '');
	return !letterPattern.test(text[from - 1] ?? '') && !letterPattern.test(text[to] ?? '');
}

/** Maximum length of the rest of a sentence that is read before or after a quotation. UTF-16 units. */
const maxSentenceReach = 1000;
/** Maximum number of occurrences that are checked in one message; later ones are ignored. */
const maxOccurrences = 200;

/** Returns the text before an index in the same sentence. A line break ends a sentence only before a list item. */
function findSentenceBefore(text: string, index: number): string {
	const head = text.slice(Math.max(0, index - maxSentenceReach), index);
	const ends = [...head.matchAll(/[.!?。！？](?=\s)|[。！？]|\n(?=[-\d])|\n(?=$)/g)];
	return head.slice((ends.at(-1)?.index ?? -1) + 1);
}

function findSentenceAfter(text: string, index: number): string {
	const rest = text.slice(index, index + maxSentenceReach);
	const end = /[.!?](?=\s|$)|[。！？]|\n(?=[-\d])/.exec(rest);
	return end ? rest.slice(0, end.index) : rest;
}

export interface UserTextMatcher {
	/** Whether a message contains the words without negating them. */
	hasQuote(words: string): boolean;
	/** Whether a message contains the words without negating them or making them conditional. */
	hasRule(words: string): boolean;
}

/** Returns a matcher for the users' typed messages. Each look-up takes O(text of all messages). */
export function createUserTextMatcher(messages: readonly string[]): UserTextMatcher {
	const texts = messages.map((message) => {
		const normalizedText = normalizeForComparison(message);
		return { lined: normalizedText, flat: normalizedText.replaceAll('\n', ' ') };
	});
	const occurs = (words: string, isValid: (text: string, from: number, to: number) => boolean): boolean => {
		const phrase = trimPunctuation(words);
		if (phrase === '') return true;
		return texts.some(({ lined, flat }) => {
			let from = flat.indexOf(phrase);
			for (let count = 0; from >= 0 && count < maxOccurrences; count++) {
				const to = from + phrase.length;
				if (
					isWholeWord(flat, from, to) &&
					!negationPattern.test(findSentenceBefore(lined, from)) &&
					isValid(lined, from, to)
				)
					return true;
				from = flat.indexOf(phrase, from + 1);
			}
			return false;
		});
	};
	return {
		// An ellipsis or brackets mark an omission, so each part is looked up.
		hasQuote: (words) => words.split(/…|\.\.\.|\[[^[\]]*\]/).every((part) => occurs(part, () => true)),
		hasRule: (words) => occurs(words, (text, _, to) => !conditionPattern.test(findSentenceAfter(text, to))),
	};
}
