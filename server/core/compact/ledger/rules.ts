import { withoutAttachments } from './attachments.ts';
import type { Source } from './source.ts';

/** Words by which a user lays down a rule. */
const RULE_WORDS =
	/\b(?:must(?:n't)?|never|always|do not|don't|make sure|only use|ensure|avoid|should(?:n't| not| always| only)|no longer|instead of|prefer)\b|必ず|しないで|ないこと|してください|禁止|絶対|不要|必须|不要|禁止|务必|toujours|jamais|immer|niemals|siempre|nunca/i;
const STRICT_WORDS = /\b(?:must|never|always|do not|don't|make sure|only use)\b|必ず|しないで/i;
/** UTF-16 units. Shorter is no rule, longer no sentence. */
const SHORTEST = 12;
const LONGEST = 400;
/** Longer messages are pasted documents: what they say is not the user's own rule. */
const LONGEST_MESSAGE = 6000;

/** A sentence in which a user lays down a rule, word for word. */
export interface UserRule {
	text: string;
	source: Source;
	/** Whether its words bind (`must`, `never`), in a message that is no pasted document. */
	binding: boolean;
}

/** The rules that users laid down in messages that they typed, oldest first, each wording once. */
export function rulesOf(sources: readonly Source[]): UserRule[] {
	const rules = new Map<string, UserRule>();
	for (const source of sources) {
		if (source.role !== 'user' || source.injected) continue;
		for (const text of sentencesOf(source.text)) {
			if (!RULE_WORDS.test(text) || rules.has(text)) continue;
			const isShort = source.text.length <= LONGEST_MESSAGE;
			rules.set(text, { text, source, binding: isShort && STRICT_WORDS.test(text) });
		}
	}
	return [...rules.values()];
}

/** Sentences of prose: attachments, lines of code and data are left out. */
function sentencesOf(text: string): string[] {
	const sentences: string[] = [];
	let fenced = false;
	for (const line of withoutAttachments(text.slice(0, LONGEST_MESSAGE * 4)).split('\n')) {
		if (line.trimStart().startsWith('```')) {
			fenced = !fenced;
			continue;
		}
		if (fenced) continue;
		for (const piece of line.split(/(?<=[.!?])\s+/)) {
			// Scripts that set no space behind a full stop.
			const pieces = piece.length < LONGEST ? [piece] : piece.split(/(?<=[。！？])/);
			for (const sentence of pieces.map((each) => each.trim())) {
				if (sentence.length <= SHORTEST || sentence.length >= LONGEST) continue;
				if (!/[{};]|=>|\(\)/.test(sentence)) sentences.push(sentence);
			}
		}
	}
	return sentences;
}
