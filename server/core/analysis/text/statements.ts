/**
 * Scores short messages of users by their content: rules, facts, goals and preferences. A message that states no rule or
 * limit, asks for nothing and names no value is small talk.
 */

import { isGerman } from './language.ts';
import { isStrictRule, soundsLikeRule } from './ruleWords.ts';

/** Maximum length of a message that only agrees. UTF-16 units. */
const maxAcknowledgementLength = 60;
const approvalPattern =
	/^[^\p{L}\p{N}]*(?:(?:ok(?:ay)?|yes|yep|yeah|no|sure|good|great|nice|perfect|fine|thanks|thank you|please|go on|go ahead|continue|proceed|do (?:it|that)|hello|hi|weiter|ja|gut|danke|bitte|oui|d['’]accord|merci|continue[rz]|sí|si|vale|gracias|да|давай|хорошо|спасибо)(?![\p{L}\p{N}])[^\p{L}\p{N}]*){1,5}$|^(?:はい|続けて|好的?|继续)[\s。！]*$/iu;
/** Score of each kind of content in a short message of a user. */
const statementScores = {
	plain: 1,
	binding: 3,
	rule: 2,
	cue: 1,
	value: 0.8,
	asidePenalty: 1,
	minWords: 5,
} as const;

const preferencePattern =
	/\b(?:prefer|rather|(?:i|we) (?:want|like|need|would like|find)|i'd|we'd|matters? (?:more )?to|works? best|wants?|wish(?:es)?|favou?rite|call me|what i am used to)\b|\b(?:möchte|lieber|hätte(?: \p{L}+)? gern|bevorzuge|mag|wünsche)\b|ほしい|好み|希望|方がいい|喜欢|想要/iu;
/** Words about tasks that are open, done or undecided. */
const progressPattern =
	/\b(?:next|todo|to do|open (?:question|point)|pending|left|missing|remain\w*|waiting|awaiting|wait for|blocks?|failing|red|vacant|first|begin with|start with|halfway|half of|finished|done|not (?:sent|decided|settled)|decide|undecided|current(?:ly)?|task|steps?|branch|draft|have to|has yet|plan to|want to)\b|\b(?:als nächstes|offen|fehlt|fehlen|warte\w*|zuerst|fertig|entschieden|aufgabe|schritte?)\b|次|未|残り|まだ|下一步|剩下|待/i;
/** An instruction: "Use R for code samples", "Keep letters short". */
const instructionPattern =
	/^(?:please |bitte )?(?:use|write|give|keep|put|show|report|add|make|do|don't|run|check|ask|tell|call|address|mention|cite|translate|convert|avoid|remember|note|format|list|fix|move|rename|remove|create|build|update|explain|answer|send|stop|leave|begin|start|let's|can you|could you|nenne?|gib|schreib|nutze|verwende|mach)\b|\bplease\b|\bbitte\b|ください|请/i;
/** Conditions, and limits of the work. */
const conditionPattern =
	/^(?:if|when(?:ever)?|should|in case|unless|before|after|wenn|falls|sobald|bevor)\b[^.!?]{4,120}[,;:]\s?\p{L}|(?:たら|場合|とき|如果|若)/iu;
const limitPattern =
	/\b(?:only|at most|at least|no more|not more|more than|less than|lower than|under|up to|without|until|may(?: not)?|has to|have to|needs?|every|all|no|nothing|nobody|cannot|can't|confidential|allergic|highest|lowest|höchstens|mindestens|nur|alle|jede[rnms]?|kein\w*|ohne|darf|dürfen|muss|müssen)\b|だけ|まで|以内|以下|以上|只|最多|至少/i;
const figurePattern =
	/\d[\d.,:/]*|\bhttps?:\/\/\S+|\b\p{L}{1,40}(?:[-_]\p{L}{0,40}\d|\/)[\p{L}\d/_-]{0,60}|\b[\p{L}\d-]{1,40}\.[\p{L}\d-]{1,40}\.\p{L}|\b\p{Lu}{2,}\b/gu;
const fullNamePattern =
	/(?<!^)(?<=[\p{L}\d,;:)] )\p{Lu}[\p{L}.]+ \p{Lu}\p{L}+|^\p{Lu}\p{L}+ \p{Lu}\p{L}+ \p{Ll}/u;
const capitalizedNamePattern = /[\p{Ll}\d,;:)]\s\p{Lu}\p{L}+/u;
/** Slash commands on the first lines of a message that goes on. */
const leadingCommandsPattern = /^(?:\/\w[^\n]*\n\s{0,9})+(?=\S)/;

/** A slash command at the start of a message, not a path. */
const commandPattern = /^\/[\w:.-]{1,60}(?=\s|$)/;

/** Whether a message is neither a slash command nor a mere approval such as "ok, go on", after commands on its first lines. */
export function isRequest(message: string): boolean {
	const text = message.replace(leadingCommandsPattern, '');
	return (
		text !== '' &&
		!commandPattern.test(text) &&
		!approvalPattern.test(text.slice(0, maxAcknowledgementLength))
	);
}

/** An agreement or a refusal at the start of a message. */
const answerPattern =
	/^[^\p{L}\p{N}]*(?:yes|yep|yeah|no|nope|ja|nein|oui|non|sí|да|нет|はい|いいえ|是的?)(?![\p{L}\p{N}])/iu;

/** Whether a short message begins with an agreement or a refusal, so that it needs its question: "yes, but not today". */
export function isBriefAnswer(text: string): boolean {
	return text.length <= maxAcknowledgementLength && answerPattern.test(text);
}

/** Maximum length of an answer that may not be clear without its question: "do that", "not yet", "B". UTF-16 units. */
const maxShortAnswerLength = 24;

/** Whether a message may be an answer that needs its question. */
export function isShortAnswer(text: string): boolean {
	return text.length <= maxShortAnswerLength || isBriefAnswer(text);
}

const noCommitPattern =
	/\b(?:not|never|no|without|don['’]?t(?! forget)|nicht|kein\w*|ohne)\b[^.!?]{0,40}\bcommit|コミットし?ない|不要提交|别提交/i;

/** Whether a message asks not to commit something. */
export function forbidsCommit(text: string): boolean {
	return noCommitPattern.test(text);
}

/** Returns the score of a user's short message: 0 for small talk, up to about 9 for a rule with numbers. */
export function scoreStatement(text: string): number {
	const { binding, rule, cue, value, plain, minWords, asidePenalty: minus } = statementScores;
	const ruleScore = isStrictRule(text) ? binding : soundsLikeRule(text) ? rule : 0;
	const cueCount = [
		preferencePattern,
		progressPattern,
		instructionPattern,
		conditionPattern,
		limitPattern,
	].filter((pattern) => pattern.test(text)).length;
	const figureCount = text.match(figurePattern)?.length ?? 0;
	const nameScore = isGerman(text)
		? 0
		: fullNamePattern.test(text)
			? 2
			: capitalizedNamePattern.test(text)
				? 1
				: 0;
	const score = plain + ruleScore + cueCount * cue + Math.min(2, figureCount + nameScore) * value;
	if (ruleScore > 0 || figureCount > 0 || nameScore > 1) return score;
	const isShort = text.split(/\s+/).length < minWords;
	const penaltyCount = [isShort, /[?？]\s*$/.test(text)].filter(Boolean).length;
	return Math.max(0, score - penaltyCount * minus);
}
