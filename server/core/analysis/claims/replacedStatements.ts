/** Finds replaced statements of users: "The limit is 400 euros.", if "It may cost 650 euros now." follows. */

import { getOrInsert } from '../../getOrInsert.ts';
import { type AnalysisCache, memoize, type Topic } from '../message/analyses.ts';
import type { Source } from '../message/source.ts';
import { isQuestion } from '../text/cues.ts';
import { isGerman } from '../text/language.ts';
import { sentenceOrLineEndPattern } from '../text/sentences.ts';
import type { UserStatement } from '../user/userStatements.ts';

/**
 * Limits of the comparison: it compares the newest `maxStatements` of up to `maxLength` UTF-16 units, by the first
 * `stemLength` letters of their words. A word in more than `maxUses` statements says little about their subject. A sentence with fewer
 * than `minSubjectStems` words has no subject of its own.
 */
const limits = {
	maxStatements: 400,
	maxLength: 240,
	stemLength: 8,
	maxUses: 3,
	minSubjectStems: 3,
	minSharedShare: 0.8,
	minSharedShareWithChange: 0.3,
} as const;

/** Words that announce a change of an earlier statement. */
const changePattern =
	/(?<!^)\bnow\b|\b(?:instead|no longer|not any ?more|from now on|rather than|chang(?:e[ds]?|ing)|mov(?:ed|es) to|moved|postponed|raised|lowered|went (?:up|down)|new|another|update[ds]?|correction|actually|in fact|scratch|make (?:it|that)|took over|takes over|stepped down|replaces?d?|on leave|cancell?ed|renamed|switch(?:ed)?|bump(?:ed)?)\b|\b(?:jetzt|nun|stattdessen|nicht mehr|ab (?:jetzt|sofort)|geändert|ändert|verschoben|neue[nrs]?|doch|korrektur|übernimmt|umbenannt)\b|今は|代わりに|変更|今後|現在|改为|改成|现在|不再|更正/i;
/** Numbers with their units, dates, codes, and names. */
const valuePattern =
	/(?<figure>\d{4}-\d\d-\d\d|[$€£¥]?\d[\d.,:]*\d|[$€£¥]?\d)\s?(?<unit>[\p{L}%°€$£¥]{1,12})?|(?<name>(?<=[\p{Ll}\d,;:)]\s)\p{Lu}[\p{L}\d-]+(?:\s\p{Lu}[\p{L}\d-]+)?)/gu;
const wordPattern = /[\p{L}\p{N}]{3,}|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]{2}/gu;
const commonWordPattern =
	/^(?:the|and|for|you|can|are|our|has|was|not|but|now|may|all|der|die|das|und|ist|wir|ein|im|that|this|with|from|have|will|would|should|must|only|also|they|them|there|then|when|what|which|your|into|more|most|than|never|always|please|dass|nicht|auch|wird|eine[nrms]?|sind|haben|bitte|immer)$/;

/**
 * Returns the replaced statements, each with the later statement that replaced it. Both must be about the same subject,
 * and the later one must state another value of the same kind. Without a word of change, nearly all their other words
 * must be equal. Compares only statements that share a rare word. Linear in the newest short messages.
 */
export function findReplacedStatements(
	statements: readonly UserStatement[],
	cache: AnalysisCache,
): Map<Source, Source> {
	const compared = statements
		.filter(({ kind, text, pasted }) => kind === 'typed' && !pasted && text.length <= limits.maxLength)
		.slice(-limits.maxStatements)
		.map(({ source, text }) => ({
			source,
			topic: memoize(cache.topics, source, [text], () => parseTopic(text)),
			isQuestion: isQuestion(text),
		}));
	const statementsByStem = new Map<string, number[]>();
	for (const [index, { topic }] of compared.entries())
		for (const stem of topic.stems) getOrInsert(statementsByStem, stem, () => []).push(index);
	const isRare = (stem: string): boolean => (statementsByStem.get(stem) ?? []).length <= limits.maxUses;
	const replaced = new Map<Source, Source>();
	for (const [index, later] of compared.entries()) {
		const related = [...later.topic.stems].filter(isRare).flatMap((stem) => statementsByStem.get(stem) ?? []);
		for (const other of new Set(related)) {
			const earlier = compared[other];
			// A question states nothing that could be replaced.
			if (!earlier || earlier.isQuestion || other >= index) continue;
			if (doesReplace(later.topic, earlier.topic, isRare)) replaced.set(earlier.source, later.source);
		}
	}
	return replaced;
}

function doesReplace(later: Topic, earlier: Topic, isRare: (stem: string) => boolean): boolean {
	const shared = [...earlier.stems].filter((stem) => later.stems.has(stem));
	const rareCount = shared.filter(isRare).length;
	if (rareCount === 0 || !changesValue(later.values, earlier.values)) return false;
	if (!earlier.codeNames.every((code) => later.codeNames.includes(code))) return false;
	// Another sentence with a subject of its own still counts, such as a rule.
	const isOtherSubject = (stems: ReadonlySet<string>): boolean =>
		stems.size >= limits.minSubjectStems && ![...stems].some((stem) => later.stems.has(stem));
	if (earlier.sentences.some(isOtherSubject)) return false;
	const share = shared.length / Math.max(1, Math.min(earlier.stems.size, later.stems.size));
	if (later.isChange) return rareCount >= 2 || share >= limits.minSharedShareWithChange;
	return shared.length >= 2 && share >= limits.minSharedShare;
}

/** Whether the later statement gives other values of some kind, and repeats none of that kind. */
function changesValue(later: Topic['values'], earlier: Topic['values']): boolean {
	return [...earlier].some(([kind, values]) => {
		const others = later.get(kind);
		return others !== undefined && ![...values].some((value) => others.has(value));
	});
}

/** Whether a sentence gives another figure with a unit that an earlier one names: `2 spaces` after `4 spaces`. */
export function statesOtherFigure(later: string, earlier: string): boolean {
	const listFigures = (text: string): Topic['values'] =>
		new Map([...parseTopic(text).values].filter(([kind]) => /^#\p{L}{3,}$/u.test(kind) && kind !== '#date'));
	return changesValue(listFigures(later), listFigures(earlier));
}

/** Endings that are removed from words, which makes "hand" and "handing" equal. */
const wordEndingPattern = /(?<=\p{L}{4})(?:ings?|ed|es|s|en|er|e|n)$/u;
const monthNamePattern =
	/^(?:jan(?:uary?)?|feb(?:ruary?)?|mar(?:ch)?|märz?|apr(?:il)?|ma[yi]|jun[ei]?|jul[yi]?|aug(?:ust)?|sept?(?:ember)?|o[ck]t(?:ober)?|nov(?:ember)?|de[cz](?:ember)?)$/iu;

function parseTopic(text: string): Topic {
	const values = new Map<string, Set<string>>();
	const add = (kind: string, value: string): void => {
		getOrInsert(values, kind, () => new Set()).add(value);
	};
	for (const { groups = {} } of text.matchAll(valuePattern)) {
		const { figure, unit = '', name } = groups;
		if (name !== undefined && !isGerman(text)) add('name', name);
		if (figure === undefined) continue;
		if (monthNamePattern.test(unit.replace('.', '')) || /^\d{4}-\d/.test(figure))
			add('#date', `${figure} ${unit}`);
		else add(`#${/^[$€£¥]/.test(figure) ? figure[0] : unit.slice(0, 4).toLowerCase()}`, figure);
	}
	const sentences = text.split(sentenceOrLineEndPattern).map(listStems);
	const codeNames = findCodeNames(text);
	const stems = new Set(sentences.flatMap((one) => [...one]));
	return { stems, sentences, values, codeNames, isChange: changePattern.test(text) };
}

/** Returns the paths, addresses and other names from code in a text. */
export function findCodeNames(text: string): string[] {
	return text.match(/\b[a-z][\w-]*[./_][\w./-]*\w/gi) ?? [];
}

/** Returns the stems of a sentence's words, without common words, months and figures. */
export function listStems(sentence: string): Set<string> {
	const words = sentence.replace(valuePattern, ' $<name> ').toLowerCase().match(wordPattern) ?? [];
	const stems = words
		.filter((one) => !commonWordPattern.test(one) && !monthNamePattern.test(one) && !/\d/.test(one))
		.map((one) => one.replace(wordEndingPattern, '').slice(0, limits.stemLength));
	return new Set(stems);
}
