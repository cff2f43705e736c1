/** Finds the rules that users state, word for word. */

import { getOrInsert } from '../../getOrInsert.ts';
import {
	type AnalysisCache,
	createAnalysisCache,
	type FoundRule,
	getMessageParts,
} from '../message/analyses.ts';
import { readOwnWords } from '../message/pasted.ts';
import type { Source } from '../message/source.ts';
import { denseScriptPattern, isStrictRule, soundsLikeRule } from '../text/ruleWords.ts';
import { introductionPattern, listItemPattern, readFence } from '../text/sentences.ts';
import { isTyped } from './userStatements.ts';

/** Maximum length of a message in the user's own words. Longer messages are pasted documents. UTF-16 units. */
const maxOwnWordsLength = 6000;
/** Maximum length at a message's start that is searched for rules. UTF-16 units. */
const maxSearchedLength = 24_000;
/**
 * Lengths of a rule in UTF-16 units. `minDense` is the minimum in scripts with short words. A rule up to `maxPart` may need
 * the sentence before it.
 */
const ruleLength = { min: 12, minDense: 4, maxPart: 48, max: 400 } as const;

/** Texts that sound like rules but are not: remarks, reports of what always or never happens, questions. */
const nonRulePattern =
	/\b(?:is|are|was|were|been) (?:never|always)\b|\bI (?:don'?t|do not) (?:know|think|understand|see|tink|get|remember|care|mind)\b|\bdon'?t (?:worry|we have|you think|i have)\b|(?:[?？]|か。)\s*$/i;
/**
 * Reports, names and conditions with the words of a rule: "I don't know", "the tests don't pass", "if I don't save", "must-have",
 * "je n'ai jamais vu".
 */
const reportPattern =
	/\b(?:if|when|since|because|whether) (?:I|we|you|they|it) (?:do not|don['’]?t)\b|\b(?:I|we|you|they|\p{L}{2,}s)(?: \p{L}+)? (?:do not|don['’]?t)(?: \p{L}+)? (?:know|think|tink|understand|see|expect|get(?! to\b)|remember|recall|care|mind|have(?! (?:my )?permission\b)|need|believe|agree|(?<!\byou (?:do not|don['’]?t) )(?:guess|miss|lose|forget|pass(?=\s*(?:[^\s\p{L}-]|$)| (?:on|in|with|when|if|any|at|after|because|since|yet|here|and|but|either|under|for|now|the|all|again|\p{L}+ly)\b)|work|match|exist|appear|compile))\b|\bn['’](?:ai|as|a|avons|avez|ont|est|était) jamais\b|\bmust[-‐‑–]haves?\b/giu;
/** A reported effect, as in bug reports: "this causes the sum to always be 0". */
const reportedEffectPattern = /\bcaus(?:es?|ed|ing)\b[^.!?:;,]{1,100}\bto (?:never|always)\b/i;
/** A question whether something is possible or useful, which asks for nothing yet. */
const wonderingPattern =
	/^(?:(?:hm+|ok|also|and|so)[,. ]{1,3})?(?:(?:would|is) it (?:be )?(?:possible|feasible|better|ok(?:ay)?)|should (?:we|i)|do we|what if|why|how (?:do|does|can|would)|is there (?:a|any) way)\b[^.!]{0,300}\?\s*$/i;
/** A sentence of a user that states a rule, word for word. */
export interface UserRule {
	text: string;
	source: Source;
	/** Whether the rule is strict (`must`, `never`), and its message is short enough to be the user's own. */
	isBinding: boolean;
	/** Whether the rule belongs to a command's template, and not to the user's words. */
	isOfTemplate: boolean;
}

/** Returns the sentences of a typed message that state a rule. */
function findRules(source: Source, cache: AnalysisCache): FoundRule[] {
	const parts = getMessageParts(cache, source);
	const template = parts.find(({ isTemplate }) => isTemplate)?.text;
	const rules = template === undefined ? [] : findRulesIn(template, true);
	if (template !== undefined && parts.length === 1) return rules;
	return [...findRulesIn(readOwnWords(source.text, parts).text, false), ...rules];
}

function findRulesIn(ownWords: string, isOfTemplate: boolean): FoundRule[] {
	return listRuleCandidates(removeAttachments(ownWords).replace(quotedLinePattern, '')).flatMap((text) => {
		const withoutReports = text.replace(reportPattern, '');
		const isStrict = isStrictRule(withoutReports);
		if (!isStrict && !soundsLikeRule(withoutReports)) return [];
		const index = ownWords.indexOf(text);
		const end = index + text.length;
		if (index >= 0 && takenBackPattern.test(ownWords.slice(end, end + maxTakingBackLength))) return [];
		const isRule =
			(isStrict || !nonRulePattern.test(text)) &&
			!reportedEffectPattern.test(text) &&
			!wonderingPattern.test(text);
		return !isRule || /\bfor now\b[.!]?$/i.test(text) ? [] : [{ text, isStrict, isOfTemplate }];
	});
}

/** Length after a rule that is searched for words that take it back. UTF-16 units. */
const maxTakingBackLength = 60;
/** The start of a sentence that takes the one before it back. */
const takenBackPattern =
	/^\s*(?:scratch that|no[,.]? (?:wait|the|make)\b|(?:actually|wait),? (?:no|make)\b)/i;
/** A quoted line, as in a reply to a mail. */
const quotedLinePattern = /^[ \t]{0,9}>.*$/gm;

/** Returns the rules in the users' typed messages, oldest first, each wording once. */
export function collectRules(sources: readonly Source[], cache = createAnalysisCache()): UserRule[] {
	const rules = new Map<string, UserRule>();
	for (const source of sources) {
		if (!isTyped(source)) continue;
		const isOwnText = source.text.length <= maxOwnWordsLength;
		for (const { text, isStrict, isOfTemplate } of getOrInsert(cache.rules, source, () =>
			findRules(source, cache),
		)) {
			// A command may be run again; the rules of its template then belong to the later run.
			if (rules.get(text)?.isOfTemplate !== false)
				rules.set(text, { text, source, isBinding: isOwnText && isStrict, isOfTemplate });
		}
	}
	return [...rules.values()];
}

/** Returns the sentences of a text that may be rules, without lines of code and data. */
function listRuleCandidates(text: string): string[] {
	const sentences: string[] = [];
	let fence = '';
	let isDiff = false;
	const lines = text.slice(0, maxSearchedLength).split('\n');
	const lastFence = lines.findLastIndex((line) => /^\s*(?:```|~~~)/.test(line));
	for (const [index, line] of lines.entries()) {
		const fenceBefore = fence;
		fence = readFence(line, fence);
		// A block that is never closed ends at a blank line.
		if (line.trim() === '' && index > lastFence) fence = '';
		if (fence !== fenceBefore) continue;
		isDiff = diffHeadPattern.test(line) || (isDiff && /^[ +-]/.test(line));
		if (fence !== '' || isDiff || isCodeOrTable(line)) continue;
		for (const piece of joinReferents(line.split(/(?<=[.!?])\s+/))) {
			// Also splits in scripts without a space after a full stop.
			for (const sentence of piece.split(/(?<=[。！？])/).map((each) => each.trim())) {
				const minLength = denseScriptPattern.test(sentence) ? ruleLength.minDense : ruleLength.min;
				const items = findItems(sentence, lines, index + 1);
				const whole = sentence + items;
				const isUnfinished = introductionPattern.test(sentence) && items === '';
				if (isUnfinished || whole.length <= minLength || sentence.length >= ruleLength.max) continue;
				const prose = sentence.replace(/`[^`]*`/g, '');
				if (!codePattern.test(prose) || orderPattern.test(sentence)) sentences.push(whole);
			}
		}
	}
	return sentences;
}

/** The number before a line of code, as in a traceback: `---> 94     return read(path)`. */
const codeNumberPattern = /^\s{0,20}(-{1,6}>)?\s{0,9}\d{1,6}(?: {2,}|\t| ?\|)\s{0,20}(?=\S)/;

/** A row of a table that was copied from a page. */
const rowPattern = /^[^\t]{1,400}\t[^\t]{1,400}\t/;

function isCodeOrTable(line: string): boolean {
	return commentPattern.test(line) || rowPattern.test(line) || isNumberedCode(line);
}

/** Whether a line is one of code with its number. A list of rules may have numbers, too. */
function isNumberedCode(line: string): boolean {
	const [number, arrow] = codeNumberPattern.exec(line) ?? [];
	if (number === undefined) return false;
	const code = line.slice(number.length);
	return (
		arrow !== undefined ||
		/^(?:#|\/\/|\*|[\w-]{1,60}=["'{])/.test(code) ||
		(codePattern.test(code) && !orderPattern.test(code))
	);
}

/** Characters that lines of code have and most prose lacks. */
const codePattern = /[{};]|=>|\(\)/;
/** The start of an order, which may name code: "Never call sum(); use total()." */
const orderPattern =
	/^\W{0,9}(?:\d{1,2}[.)] )?(?:please,? )?(?:never|always|do not|don['’]t|make sure|only use) /i;

/** Returns the list items below a rule that introduces them, unless they sound like rules themselves: "Never edit these:". */
function findItems(introduction: string, lines: readonly string[], from: number): string {
	if (!introductionPattern.test(introduction) || !soundsLikeRule(introduction)) return '';
	let items = '';
	for (let end = from; end < lines.length; end++) {
		const line = lines[end] ?? '';
		if (line.trim() === '') continue;
		const isLong = introduction.length + items.length + line.length >= ruleLength.max;
		if (isLong || !listItemPattern.test(line) || soundsLikeRule(line)) break;
		items = `\n${lines.slice(from, end + 1).join('\n')}`;
	}
	return items;
}

/** A comment of code, perhaps in a line of a diff: `+ // Fall back if the lookup fails`. */
const commentPattern = /^\s{0,40}(?:[+-]\s{0,40})?\/[/*]/;
/** The start of a pasted diff, whose lines begin with a sign. */
const diffHeadPattern = /^(?:diff --git |@@ -\d|--- \S|\+\+\+ \S)/;
/** A sentence that refers to the previous sentence: "Never exceed it." */
const referringPattern =
	/\b(?:it|that|this|those|these|them|there)\b[^.!?]{0,20}[.!?]?$|^(?:never|always|do not|don't|only|please)\s+[\w-]+[.!]?$/i;

/** The start of a sentence that limits the previous one. */
const limitingPattern =
	/^(?:however|but|otherwise|except|unless|instead|in that case|if not|aber|jedoch|allerdings|sonst|andernfalls)\b|^(?:しかし|ただし|但是?|不过|否则)/i;

/** Joins each rule with the previous sentence if the rule refers to it, or limits it. */
function joinReferents(sentences: readonly string[]): string[] {
	return sentences.map((sentence, index) => {
		const before = sentences[index - 1];
		const refersBack =
			sentence.length <= ruleLength.maxPart && isStrictRule(sentence) && referringPattern.test(sentence);
		const isPart = before !== undefined && (refersBack || limitingPattern.test(sentence));
		return isPart && before.length + sentence.length < ruleLength.max ? `${before} ${sentence}` : sentence;
	});
}

/** Names of elements that contain attachments. */
const attachmentNames =
	/attach|file|document|context|selecti|snippet|code|terminal|output|stdout|stderr|diff|page|result|reminder|environment|editor|log|date|notification/i;
/** Attributes that name the origin of an attachment. */
const originPattern = /\s(?:path|uri|url|href|src|source|name|filename)\s*=/i;
const openingTagPattern = /<([a-z][\w-]{0,60})((?:\s[^<>]{0,1000})?)>/gi;

/**
 * Returns a text without attachments: elements such as `<file path="a">…</file>`. An unclosed element, or an element inside
 * a line, counts as prose.
 */
export function removeAttachments(text: string): string {
	const pieces: string[] = [];
	const neverClosed = new Set<string>();
	let from = 0;
	openingTagPattern.lastIndex = 0;
	for (let match = openingTagPattern.exec(text); match !== null; match = openingTagPattern.exec(text)) {
		const [opening, name = '', attributes = ''] = match;
		if (neverClosed.has(name) || !(attachmentNames.test(name) || originPattern.test(attributes))) continue;
		const closing = `</${name}>`;
		const close = text.indexOf(closing, match.index + opening.length);
		if (close < 0) {
			neverClosed.add(name);
			continue;
		}
		if (isInline(text, match.index, close)) continue;
		pieces.push(text.slice(from, match.index));
		from = close + closing.length;
		openingTagPattern.lastIndex = from;
	}
	return [...pieces, text.slice(from)].join('\n');
}

function isInline(text: string, open: number, close: number): boolean {
	const lineStart = text.lastIndexOf('\n', open - 1) + 1;
	const startsLine = open === 0 || text.slice(lineStart, open).trim() === '';
	return !startsLine && !text.slice(open, close).includes('\n');
}
