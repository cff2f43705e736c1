/** Facts of a history that the agent writes again after the split point, and whether a view still has them. */

import type { ChatMessage } from '../../server/protocol/conversation.ts';
import { conversationText, messageText } from './messageText.ts';

/** Number of examined answers after the split point. Later answers belong to another task. */
const maxAnswers = 60;
/** Characters before and after a fact in which its context is searched. */
const contextCharacters = 150;
/** Number of words from the old context of a fact that must be near the fact, so that it can be understood. */
const groundingWords = 3;
/** Maximum number of examined occurrences of one fact. */
const maxPlaces = 40;

/** Match a path; a name in camelCase, PascalCase, snake_case or CONSTANT_CASE; a code such as AB-120; a number of three or more digits. */
const factShapes = [
	/(?:[\w.@~-]+\/)+[\w.@-]*\w\.[a-z]\w{0,6}\b/gi,
	/\b(?:[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|[A-Za-z]\w*_\w+|[A-Z]{2,}\d*-\d{2,})\b/g,
	/(?<![\w.,])\d(?:[\d.,:]*\d){2,}(?!\w)/g,
];

/** Numbers of facts that were needed, that a view has, and that it has with words of their context. */
export interface FactScore {
	needed: number;
	kept: number;
	grounded: number;
}

/** Returns the different paths, names, codes and numbers in a text. */
export function factsOf(text: string): Set<string> {
	return new Set(factShapes.flatMap((shape) => text.match(shape) ?? []));
}

/**
 * Returns the facts from before the split point that a later answer contains. Leaves out facts that a user or a tool
 * mentioned between the split point and that answer, because the model did not have to remember them.
 */
export function neededFacts(before: readonly ChatMessage[], after: readonly ChatMessage[]): string[] {
	const known = factsOf(conversationText(before));
	const shown = new Set<string>();
	const needed = new Set<string>();
	let answers = 0;
	for (const message of after) {
		const facts = factsOf(messageText(message));
		if (message.role === 'assistant') {
			if (++answers > maxAnswers) break;
			for (const fact of facts) if (known.has(fact) && !shown.has(fact)) needed.add(fact);
		}
		for (const fact of facts) shown.add(fact);
	}
	return [...needed];
}

/** Searches needed facts in a view, with the words around them in the text of the history as their context. */
export function scoreFacts(needed: readonly string[], view: string, history: string): FactScore {
	const score = { needed: needed.length, kept: 0, grounded: 0 };
	for (const fact of needed) {
		const contexts = contextsOf(fact, view);
		if (contexts.length === 0) continue;
		score.kept++;
		const known = new Set(contextsOf(fact, history).flatMap(wordsOf));
		const enough = Math.min(groundingWords, known.size);
		const isGrounded = contexts.some(
			(context) => new Set(wordsOf(context).filter((word) => known.has(word))).size >= enough,
		);
		if (isGrounded) score.grounded++;
	}
	return score;
}

function contextsOf(fact: string, text: string): string[] {
	const contexts: string[] = [];
	for (let at = text.indexOf(fact); at >= 0 && contexts.length < maxPlaces; at = text.indexOf(fact, at + 1)) {
		const end = at + fact.length;
		if (/\w/.test(text[at - 1] ?? '') || /\w/.test(text[end] ?? '')) continue;
		contexts.push(
			`${text.slice(Math.max(0, at - contextCharacters), at)} ${text.slice(end, end + contextCharacters)}`,
		);
	}
	return contexts;
}

/** Returns words of four or more letters that are no facts; for scripts without spaces, pairs of characters. */
function wordsOf(text: string): string[] {
	const plain = factShapes.reduce((rest, shape) => rest.replace(shape, ' '), text).toLowerCase();
	return (
		plain.match(/[\p{Script=Latin}]{4,}|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]{2}/gu) ?? []
	);
}
