/** Finds later words that refute what the agent said: its own corrections, and the user's objections. */

import { getOrInsert } from '../../getOrInsert.ts';
import type { Seq } from '../../history/record.ts';
import type { SlicedTask } from '../../slices.ts';
import type {
	AnalysisCache,
	CorrectedClaim,
	CorrectingWords,
	MessageCorrections,
} from '../message/analyses.ts';
import type { Source } from '../message/source.ts';
import { isAnnouncement, isProposal, isQuestion } from '../text/cues.ts';
import { hashWords } from '../text/hashes.ts';
import { sentenceOrLineEndPattern, splitSentences } from '../text/sentences.ts';
import { findClosingQuestion } from '../user/closingQuestion.ts';
import { isTyped, type UserStatement } from '../user/userStatements.ts';

/** Sentences in which the agent corrects itself. With the flag `u`, the search would take 15 times as long. */
const correctionPattern =
	/\bI was (?:wrong|mistaken)\b|\bI (?:misread|misunderstood|misinterpreted|misdiagnosed|(?:incorrectly|wrongly|mistakenly) (?:assumed|thought|believed|concluded|said|claimed))\b|\bmy (?:earlier|previous|initial|first|original|prior) (?:\w+ ){0,3}?(?:assumption|claim|theory|hypothesis|analysis|guess|statement|conclusion|diagnosis|understanding|explanation)\b.{0,160}\b(?:wrong|incorrect|mistaken|false|not (?:true|correct|right|the))\b|(?:^|[.!?\n] ?|\b(?:actually|wait|sorry|oops|no|but),? )(?:that|this) was (?:wrong|incorrect|a mistake|not (?:true|correct))\b|\b(?:is|was)(?: not|n't) (?:actually )?the (?:actual |real |root )?(?:cause|culprit|reason)\b|\bthe (?:actual |real )?(?:issue|problem|bug|cause|error) (?:is|was)(?: not|n't) (?:that|the|in|with|about|because|due|caused|from)\b|\bthe (?:real|actual|true) (?:fix|solution|problem|issue|cause|reason|bug|culprit) (?:is|was)\b|\bcontrary to (?:what I|my)\b|\bich lag falsch\b|\bich habe mich geirrt\b|\bmeine (?:frühere|vorige|ursprüngliche|erste) [a-zäöüß]+\b.{0,160}\b(?:falsch|stimmte? nicht)\b|\b(?:ist|war) nicht die (?:eigentliche )?Ursache\b|(?:之前|先前|刚才|前面)的?(?:判断|假设|结论|说法|分析).{0,40}(?:错|不对|不正确)|我(?:搞|弄|说|想)?错了|不是(?:真正的?|根本)?原因|(?:先ほど|以前|最初)の(?:仮説|推測|説明|判断).{0,40}(?:誤り|間違|正しくな)|原因では(?:ありません|なかった)/i;
const doubtPattern =
	/[?？]\s*$|\b(?:if|unless|whether|might|maybe|perhaps|could|do(?:n['’]t| not) (?:think|believe)|not true that|(?:you|user) (?:said|say|wrote)|falls|ob|vielleicht)\b|如果|可能|かも/i;
/** Sentences in which the user objects to what the agent said or did. */
const objectionPattern =
	/^(?:i meant (?!to\b)|ich meinte\b|我是说|我指的是)|^(?:no|nope|nah|wrong|incorrect|nein|falsch)(?:[,.!:;—-]+\s+\S|\s+(?:that|this|it|you|i|we|das|es)\b)|^[^.!?\n]{0,80}(?:\b(?:I|we) (?:undid|reverted|rolled back|discarded|threw away)\b|\bstill (?:\w+ ){0,2}?(?:fail\w*|broken|crash\w*|wrong|not|doesn['’]?t|shows?|looks?|happens|the same|red|missing|issues?|errors?|problems?)\b|\bstill \d+\b|\b(?:does|did|is|are)(?: not|n['’]t) (?:work|working|help|fix)\w*\b|\b(?:funktioniert|geht|klappt) (?:immer noch )?nicht\b|\b(?:that|this|it)(?:['’]s| is| was) (?:not|wrong|incorrect)\b|\bdas (?:ist|war|stimmt) (?:nicht|falsch)\b|\bI (?:do not|don['’]?t) think (?:that|this|it)(?:['’]?s| is| was) (?:it|right|correct|true|the)\b)|^(?:不对|不是(?:这样|这个)|错了|还是(?:不|报错|失败)|違います|違う|まだ(?:動|失敗|エラー))/i;
/** An objection to what the agent said, also after a question of the agent. */
const denialPattern =
	/^(?:no,? )?I (?:do not|don['’]?t) think (?:that|this|it)(?:['’]?s| is| was) (?:it|right|correct|true)(?=\s*(?:$|[.,!;—-]))/i;
/** A question whether the user agrees with what the agent proposed. */
const agreementQuestionPattern =
	/\b(?:agree|what (?:do you think|are your thoughts)|any thoughts|sounds? (?:good|right|ok(?:ay)?|reasonable)|does (?:that|this) work|(?:is|would) (?:that|this)(?: be)? (?:ok(?:ay)?|fine|right|acceptable)|(?:shall|should) (?:I|we) (?:do (?:it|that|this|so)|go (?:with|ahead)|proceed)|einverstanden|was (?:denkst|meinst|hältst) du|passt das)\b|(?:觉得|怎么看|同意|可以吗|行吗|OK吗|如何)|どう(?:思い|でしょう)|よろしい|いかが/i;
/** The start of an answer in which the user decides otherwise than the agent proposed. */
const otherChoicePattern =
	/^(?:(?:hm+|well|sorry|actually),? )?(?:I(?:['’]d| would)? (?:much )?(?:prefer|rather)\b|(?:we|you) should(?: not|n['’]t| rather| instead)?\b(?! (?:also|be (?:ok|fine|good)))|(?:let['’]?s|rather) not\b|not [^.!?\n]{1,60}, but\b|(?:ich (?:möchte|würde|will) )?lieber\b|wir sollten\b)|^[^.!?\n]{0,80}\b(?:instead|rather than|stattdessen)\b|^(?:我们?|我(?:觉得|认为|们还是)|还是)?应该|^(?:不要|别|改(?:为|成|用)|むしろ)|^[^。！？\n]{0,40}(?:ではなく|べきです|而不是)/i;
const approvalPattern =
	/^(?:yes|yep|yeah|sure|ok(?:ay)?|agreed|good|fine|ja|gut|oui)\b|^(?:はい|好|可以|是的?|同意|行)/i;
/** A refusal that is a sentence of its own: "No. …". */
const bareRefusalPattern = /^(?:no|nope|nah|wrong|incorrect|nein|falsch)[.!]$/i;
/** Sentences in which the agent names a cause. */
const diagnosisPattern =
	/\b(?:root cause|culprit|caused by|(?:cause|reason|issue|problem|bug) (?:is|was|seems|must be)|because)\b|\bUrsache\b|原因/i;
/** Names from code and numbers. */
const namePattern =
	/`[^`\n]{2,80}`|(?<![\p{L}\p{N}_$])[\p{L}_$][\p{L}\p{N}_$]*(?:[./_-][\p{L}\p{N}_$]+)+|(?<!\p{L})\p{L}*\p{Ll}\p{Lu}\p{L}*|\d[\d.,]*\d/gu;
/** The start of a sentence that corrects or limits the sentence before it. */
const turnPattern =
	/^(?:(?:oh|ah|hm+)\b[,.!… ]*)?(?:but|however|wait|actually|hold on|aber|doch|moment|halt)\b[,.!… ]*|^(?:但是?|不过|等等|实际上|しかし|ただし|いや|待って|実は)[、，,]?/i;
/** What the agent would like to do or considers, after words of `turnPattern`. It may not have done it. */
const intentionPattern =
	/^(?:(?:I (?:think|guess|believe|suppose)|maybe|perhaps|also),? (?:that )?){0,2}(?:(?:it|that|this)(?:['’]s| is| would be| might be| may be) (?:probably )?(?:(?:best|better|safer|simpler|easier|wise) (?:to|if)\b|worth \w{2,20}ing\b)|I(?:['’]m| am) (?:thinking|considering|planning|wondering)\b|I (?:also |still )?(?:might|may|must|should|want to|have to|need to)\b(?! not))|^(?:ich (?:sollte|muss|möchte)|我(?:应该|可能需要|想)|.{0,40}(?:したほうがよ|べきかも))/i;
/** The start of a sentence that names a likely cause instead of what the sentence before it concluded. */
const likelyCausePattern =
	/^(?:(?:this|that|it)(?:['’]s| is| could be| may be| might be) (?:most |very |more )?(?:likely|probably|possibly)|(?:more|most) likely|das (?:ist|liegt) (?:wahrscheinlich|vermutlich))\b|^(?:这(?:很|更)?可能(?:是)?|おそらく)/i;
/** Words of `turnPattern` and of `likelyCausePattern`, anywhere. */
const turnWordPattern =
	/\b(?:but|however|wait|actually|hold on|likely|probably|possibly|aber|doch|moment|halt|wahrscheinlich|vermutlich)\b|但|不过|等等|实际上|可能|しかし|ただし|いや|待って|実は|おそらく/i;
/** A correction that names the real cause or solution. It only corrects sentences that name one too. */
const realOnePattern =
	/\bthe (?:real|actual|true) (?:fix|solution|problem|issue|cause|reason|bug|culprit) (?:is|was)\b/i;
const solutionPattern = /\b(?:fix|solution)\b/i;
/** Words of corrections and diagnoses that do not say what these are about. */
const diagnosisWords = new Set(
	hashWords(
		'the real actual true actually wait problem issue cause reason bug culprit fix solution was is because',
	),
);
/** The start of a sentence that follows from the sentence before it. */
const conclusionPattern =
	/^(?:so|thus|therefore|hence|which means|(?:this|that) means|the (?:real|actual|true)|daher|deshalb)\b|^(?:所以|因此|つまり|だから)/i;
/** Maximum length of a correction with the sentence from which it follows. UTF-16 units. */
const maxReasonedLength = 240;
/** Number of corrections in a message that are compared with earlier sentences. */
const maxCorrections = 10;
/** Maximum length of a sentence that is searched for names. UTF-16 units. */
const maxNamedLength = 600;
/**
 * Numbers of messages before a correction that are searched for the claim: `messages` for a claim with a name of the
 * correction, `messagesWithoutName` for one with at least `minWords` of its words, and `messagesOfTurn` if the correction
 * only begins like one: "Wait, …".
 */
const searchLimits = { messages: 60, messagesWithoutName: 12, messagesOfTurn: 3, minWords: 2 } as const;

/** A sentence with its names and numbers, and its words. */
interface ComparedSentence {
	text: string;
	names: ReadonlySet<string>;
	words: readonly number[];
}

function parseSentence(text: string): ComparedSentence {
	const names = [...text.slice(0, maxNamedLength).matchAll(namePattern)].map(([name]) => name);
	return { text, names: new Set(names.map((name) => name.replaceAll('`', ''))), words: hashWords(text) };
}

function listClaims({ text }: Source): ComparedSentence[] {
	const sentences = splitSentences(text).filter(
		({ text: sentence, isCode }) => !isCode && !isQuestion(sentence),
	);
	return sentences.map(({ text: sentence }) => parseSentence(sentence));
}

/** Whether a sentence corrects or limits the one before it, rather than to ask, to announce or to consider something. */
function isStatedTurn(sentence: string): boolean {
	if (!turnPattern.test(sentence) || isQuestion(sentence)) return false;
	const statement = sentence.replace(turnPattern, '').replace(turnPattern, '');
	return !isAnnouncement(statement) && !intentionPattern.test(statement);
}

/** Whether a sentence names a likely cause of what the sentence before it concluded. */
function isLikelyCause(sentence: string, before = ''): boolean {
	return likelyCausePattern.test(sentence) && conclusionPattern.test(before) && !isQuestion(sentence);
}

/** Returns where an agent's message corrects itself or earlier messages; its first sentence may do so too. */
function findCorrections(source: Source): MessageCorrections {
	const { role, text } = source;
	if (role !== 'assistant') return { ofEarlier: [], ofItself: [] };
	const hasTurns = turnWordPattern.test(text);
	const sentences = hasTurns ? splitSentences(text) : [];
	const turns = sentences.map(
		(one, index) =>
			!one.isCode && (isStatedTurn(one.text) || isLikelyCause(one.text, sentences[index - 1]?.text)),
	);
	const opening = turns[0] ? [{ text: sentences[0]!.text, reach: searchLimits.messagesOfTurn }] : [];
	const ofItself = sentences.flatMap(({ text: correction }, index) => {
		const before = sentences[index - 1];
		if (!turns[index] || !before || before.isCode || isQuestion(before.text)) return [];
		return [{ claims: [before.text], correction, correctionSource: source }];
	});
	return { ofEarlier: [...opening, ...findAdmittedErrors(text)], ofItself };
}

function findAdmittedErrors(text: string): CorrectingWords[] {
	if (!correctionPattern.test(text)) return [];
	const corrections = splitSentences(text).flatMap(({ text: sentence, isCode, isOnNewLine }, index, all) => {
		if (isCode || !correctionPattern.test(sentence) || doubtPattern.test(sentence)) return [];
		const reason = isOnNewLine || !conclusionPattern.test(sentence) ? '' : `${all[index - 1]?.text ?? ''} `;
		const isShort = reason.length + sentence.length <= maxReasonedLength;
		return [{ text: isShort ? `${reason}${sentence}` : sentence, reach: searchLimits.messages }];
	});
	return corrections.slice(-maxCorrections);
}

/**
 * Returns the agent's sentences that it corrected later, by the ordinals of their messages. A correction belongs to the message
 * with the sentence with which it shares most names and words, and to the latest of several. Runs in slices.
 */
export function* collectCorrections(
	sources: readonly Source[],
	{ corrections: cached }: AnalysisCache,
): SlicedTask<Map<Seq, CorrectedClaim[]>> {
	const corrections = new Map<Seq, CorrectedClaim[]>();
	const claims = new Map<Source, ComparedSentence[]>();
	for (const [index, correctionSource] of sources.entries()) {
		const { ofEarlier, ofItself } = getOrInsert(cached, correctionSource, findCorrections);
		if (ofItself.length > 0) corrections.set(correctionSource.seq, [...ofItself]);
		for (const { text: correction, reach } of ofEarlier) {
			yield;
			const { names, words } = parseSentence(correction);
			const correctionWords = new Set(words.filter((word) => !diagnosisWords.has(word)));
			const namesRealOne = realOnePattern.test(correction);
			let best: { score: number; source: Source; claims: string[] } | undefined;
			for (let at = Math.max(0, index - reach); at < index; at++) {
				const source = sources[at];
				if (source?.role !== 'assistant') continue;
				const isNear = at >= index - searchLimits.messagesWithoutName;
				const related = getOrInsert(claims, source, listClaims).flatMap((claim) => {
					const sharedNameCount = [...claim.names].filter((name) => names.has(name)).length;
					const sharedWordCount = claim.words.filter((word) => correctionWords.has(word)).length;
					const isDiagnosis = diagnosisPattern.test(claim.text);
					if (namesRealOne && !isDiagnosis && !solutionPattern.test(claim.text)) return [];
					const minWords = isDiagnosis && !namesRealOne ? 1 : searchLimits.minWords;
					const isRelated = sharedNameCount > 0 || (isNear && sharedWordCount >= minWords);
					return isRelated ? [{ text: claim.text, score: 2 * sharedNameCount + sharedWordCount }] : [];
				});
				const score = Math.max(...related.map((one) => one.score));
				if (score >= (best?.score ?? 0)) best = { score, source, claims: related.map(({ text }) => text) };
			}
			if (best)
				getOrInsert(corrections, best.source.seq, () => []).push({
					claims: best.claims,
					correction,
					correctionSource,
				});
		}
	}
	return corrections;
}

/** The first sentence of a message in which the user objects to an answer of the agent. */
export interface Objection {
	text: string;
	objectionSource: Source;
	/** Whether the user only decided otherwise than the answer proposed. */
	isOtherChoice: boolean;
}

/** A message that is only a command of the agent's program. */
const commandPattern = /^\/[\w-]{1,40}(?:[ \t][^\n]*)?$/;
/** Number of sentences at a message's start that may be an objection. */
const maxObjectionSentences = 3;

/** A position in the script of a web page, before a message of its console that the user pasted: `main-4f2a.js?v=1:6`. */
const bundlePositionPattern = /[\w.-]{1,200}\.m?js(?:\?[\w=&.-]{0,200})?:\d/;

/** Returns the first sentence of a message that objects, with the next one after a mere "No."; undefined if none does. */
function findObjection(text: string): string | undefined {
	const [ownWords = ''] = text.trim().split(bundlePositionPattern, 1);
	const sentences = ownWords.split(sentenceOrLineEndPattern);
	const [first = '', second] = sentences;
	if (second !== undefined && bareRefusalPattern.test(first)) return `${first} ${second}`;
	return sentences
		.slice(0, maxObjectionSentences)
		.find((one) => objectionPattern.test(one) && !isQuestion(one));
}

/** Whether a message proposes something and ends with the question whether the user agrees. */
function asksForAgreement(source: Source): boolean {
	const question = findClosingQuestion(source) ?? '';
	return agreementQuestionPattern.test(question) && isProposal(source.text.replace(question, ''));
}

/** Returns the start of an answer to a proposal that decides otherwise; undefined if it may agree. */
function findOtherChoice(text: string): string | undefined {
	const [first = ''] = text.trim().split(sentenceOrLineEndPattern, 1);
	if (approvalPattern.test(first) || isQuestion(first)) return undefined;
	return otherChoicePattern.test(first) ? first : findObjection(text);
}

/**
 * Returns the user's objections to some of the agent's messages, by the ordinals of these. Between the two, the agent's program
 * may report, and the user may type commands such as `/add src/a.ts`.
 */
export function collectObjections(
	sources: readonly Source[],
	statements: readonly UserStatement[],
	answerSeqs: ReadonlySet<Seq>,
): Map<Seq, Objection> {
	const typed = new Map(statements.map((one) => [one.source, one.kind === 'typed' ? one.text : '']));
	const byAnswer = new Map<Seq, Objection>();
	let answer: Source | undefined;
	for (const source of sources) {
		const said = typed.get(source) ?? '';
		if (answer && said !== '' && answerSeqs.has(answer.seq)) {
			const rejection = asksForAgreement(answer) ? findOtherChoice(said) : undefined;
			const objection = rejection ?? findObjection(said);
			// After another question, most objections only answer the question.
			const isAnswer =
				rejection === undefined &&
				!denialPattern.test(objection ?? '') &&
				findClosingQuestion(answer) !== undefined;
			if (objection !== undefined && !isAnswer)
				byAnswer.set(answer.seq, {
					text: objection,
					objectionSource: source,
					isOtherChoice: rejection !== undefined,
				});
		}
		if (source.role === 'assistant') answer = source;
		else if (source.role === 'tool' || (isTyped(source) && !commandPattern.test(source.text.trim())))
			answer = undefined;
	}
	return byAnswer;
}
