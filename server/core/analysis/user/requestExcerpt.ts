/** Shortens a user's request to the sentences that say what to do. */

import { findTemplateGoal, readExpandedCommand } from '../message/commandTemplates.ts';
import { quoteLine, truncateWithMark } from '../text/quote.ts';
import { soundsLikeRule } from '../text/ruleWords.ts';
import { sentenceOrLineEndPattern } from '../text/sentences.ts';

/** Maximum length of a request's first sentences, and of the sentence that asks for the work. UTF-16 units. */
const maxPartLength = 140;
/** Length of a request that is searched for the sentence that asks for the work. UTF-16 units. */
const maxSearchedLength = 6000;

/** A line that is only a heading or a tag. */
const titlePattern = /^(?:#{1,6}\s.*|\*\*[^*]{1,80}\*\*:?|<\/?[\w-]{1,60}>)?$/;
/** The title of the part of a request that says what to do. */
const taskTitlePattern =
	/^(?:(?:#{1,6} +|\*\*|<)(?:your |the )?|your )(?:task|mission|goal|objective|request|(?:pr|issue)_description|problem_statement|タスク|目的|依頼|任务|目标|需求|aufgabe|ziel)(?![a-z])/imu;
/** Greetings, and sentences that only say that a request follows or who the agent is. */
const openingPattern =
	/^(?:(?:hi|hello|hey|dear|good (?:morning|evening|afternoon)|hallo|guten \p{L}+|hola|bonjour|привет|здравствуйте)(?![\p{L}\p{N}])[^.!?]{0,40}[.!?,]*$|你好|您好|こんにちは|(?:hi,? |hello,? )?(?:i|we) (?:have|got) (?:a|an|another) (?:\p{L}+ )?(?:problem|question|issue|task|request)(?: for you)?[.!:]?$|(?:i|we)(?: am| are|['’]m|['’]re) (?:currently )?(?:solving|fixing|working on) (?:the following|this|an?) (?:issue|problem|bug|task)(?![\p{L}\p{N}])|you are (?:an?|the)\b|you're an?\b|du bist ein|你是|あなたは)/iu;
/** Sentences that ask for work: orders, wishes and questions. */
const askingPattern =
	/^(?:[-*•]\s+)?(?:(?:please|now|then|so|ok(?:ay)?|and|also|first|next|hey|hi|hello|but)[, ]+)*(?:implement|add|adapt|adjust|alter|complete|extend|finish|fix|integrate|introduce|make|create|modify|optimi[sz]e|rewrite|write|build|update|change|remove|delete|rename|move|refactor|investigate|check|review|explain|find|look|show|run|use|do(?! not)|help|let's|lets|continue|solve|debug|analy[sz]e|design|improve|replace|convert|translate|migrate|set up|install|configure|generate|summari[sz]e|compare|list|tell|give|try|start|open|push|commit|merge|deploy|document|keep|switch|connect|copy|put|turn|apply|resolve|clean|extract|split|bring|reproduce|read)(?![\p{L}\p{N}])|(?<![\p{L}\p{N}])(?:please(?!,? (?:also )?(?:do not|don['’]?t|never|avoid)(?![\p{L}\p{N}]))|(?:can|could|would|will) (?:you|we|i)|(?:i|we)(?:['’]d| would) (?:like|prefer|love)|(?:i|we) (?:still |also |just |only )?(?:want|need)|help me|your task|(?:we|you) (?:can|should) (?:just |also |instead )?\p{L}|consider \p{L}+ing|bitte(?! (?:nicht|nichts|nie|keine?[nrms]?)(?![\p{L}\p{N}]))|(?:kannst|könntest|könnten|würdest) (?:du|sie)|ich (?:möchte|will|brauche)|пожалуйста|можешь|нужно)(?![\p{L}\p{N}])|[?？]\s*$|(?<!ないで)ください|(?<!ないよう(?:に)?)お願い|してほしい|したい|请(?![不勿别])|帮我|我(?:想|要|需要)/iu;

/** Sentences that only ask the agent to read something before the work. */
const readingPattern =
	/^(?:(?:please|first|ok(?:ay)?|can you|could you|now)[, ]+)*(?:read|look at|look through|have a look at|take a look at|go through|lies|schau dir|sieh dir)(?![\p{L}\p{N}])(?![^.!?]{0,200}\b(?:and (?:then )?(?:fix|add|tell|explain|change|write|implement|make|update|summari[sz]e|find|check|create|remove|move|port|convert)|to (?:fix|find|understand|see))\b)/iu;

/** A line that begins with a part of a frame, or is a ruler, as programs draw them. */
const framePattern = /^\s{0,80}(?:[│┃║┌┐└┘├┤┬┴┼╭╮╰╯╔╗╚╝╠╣]|[─━═][\s─━═┌┐└┘├┤┬┴┼]{0,300}$)/m;
/** Sentences that say what to build as a wish: "The dream is of an application which plans tides." */
const visionPattern =
	/\b(?:dream|idea|vision) (?:is|of)\b|\b(?:app|application|tool|game|site|website|program|service|system|bot|library) (?:which|that|where|should)\b/i;
/** Minimum number of paragraphs behind such sentences from which an order is about a detail. */
const minDetailDistance = 2;

/** A title of guidelines for all work, and the length of a request's start that is searched for it. UTF-16 units. */
const guidelinesTitlePattern =
	/^#{1,6} [^\n]{0,80}(?:guidelines?|conventions?|instructions|rules|standards|规范|规则|指南|ガイドライン|richtlinien)/im;
const maxGuidelinesPosition = 600;
/** The start of a title, a list item, a quotation, a row or a block of code. */
const itemPattern = /^(?:#{1,6} |[-*•>|] ?|\d{1,3}[.)] |```|<)/;

interface Sentence {
	text: string;
	/** Index of the paragraph that contains the sentence. */
	paragraph: number;
}

/** Returns the first sentences of a request, and the first sentence that asks for the work if it is not among them. */
export function excerptRequest(request: string): string {
	const command = readExpandedCommand(request);
	if (command) return excerptRequest(command.input || findTemplateGoal(command.template));
	const ownWords = skipFrames(request);
	if (ownWords !== '') return `… ${excerptRequest(ownWords)}`;
	const task = findTaskBelowGuidelines(request);
	if (task !== '') return `… ${excerptRequest(task)}`;
	const sentences = listSentences(request.slice(0, maxSearchedLength));
	const begin = Math.max(
		0,
		sentences.findIndex((one) => !openingPattern.test(one.text)),
	);
	const firstSentences = joinFirst(sentences.slice(begin));
	const taskAt = request.search(taskTitlePattern);
	if (taskAt > 0 && !firstSentences.some((one) => askingPattern.test(one)))
		return excerptRequest(request.slice(taskAt));
	const isAsking = ({ text }: Sentence, index: number): boolean => index >= begin && askingPattern.test(text);
	const workIndex = sentences.findIndex(
		(one, index) => isAsking(one, index) && !readingPattern.test(one.text),
	);
	const nextIndex = begin + firstSentences.length;
	const firstAsking = workIndex < 0 ? sentences.findIndex(isAsking) : workIndex;
	const distance = (sentences[firstAsking]?.paragraph ?? 0) - (sentences[begin]?.paragraph ?? 0);
	const isDetail = distance >= minDetailDistance && visionPattern.test(firstSentences.join(' '));
	const askingIndex = isDetail ? nextIndex : firstAsking;
	const beginning = truncateWithMark(firstSentences.join(' '), maxPartLength);
	if (askingIndex < nextIndex) return markEnd(beginning, nextIndex < sentences.length);
	const gap = askingIndex > nextIndex && !beginning.endsWith('…') ? ' …' : '';
	const asking = truncateWithMark(sentences[askingIndex]?.text ?? '', maxPartLength);
	return markEnd(`${beginning}${gap} ${asking}`, askingIndex + 1 < sentences.length);
}

/** Returns the text below the last frame of a request that begins with a frame, such as a pasted report; empty for others. */
function skipFrames(request: string): string {
	if (framePattern.exec(request)?.index !== 0) return '';
	const lines = request.split('\n');
	const end = lines.findLastIndex((line) => framePattern.test(line)) + 1;
	const asks = lines.slice(0, end).some((line) => askingPattern.test(removeFrame(line.trim())));
	const rest = lines.slice(end).join('\n');
	return !asks && /\p{L}{2}/u.test(rest) ? rest : '';
}

/**
 * Returns the last paragraph of a request that begins with guidelines, such as a pasted file of instructions, if the paragraph
 * asks for work; empty for others.
 */
function findTaskBelowGuidelines(request: string): string {
	if (!guidelinesTitlePattern.test(request.slice(0, maxGuidelinesPosition))) return '';
	const text = request.trimEnd();
	const task = text.slice(text.lastIndexOf('\n\n') + 1).trim();
	if (task.length === text.length || itemPattern.test(task)) return '';
	const asks = task
		.split(sentenceOrLineEndPattern)
		.some((one) => askingPattern.test(one.trim()) && !soundsLikeRule(one));
	return asks ? task : '';
}

/** Returns an excerpt with a mark at its end if more follows. */
function markEnd(excerpt: string, hasMore: boolean): string {
	return hasMore && !excerpt.endsWith('…') ? `${excerpt} …` : excerpt;
}

/**
 * Returns the sentences of a text without the titles above the first sentence. If a text has only titles, returns
 * these. Omits blocks of code, unless the text has nothing else.
 */
function listSentences(text: string): Sentence[] {
	const prose = text.replace(/^`{3,}[^`\n]*$(?:\n[\s\S]*?^```|(?:\n.+)*)/gm, '');
	const whole = prose.trim() === '' ? text.replace(/^```.*$/gm, '') : prose;
	const paragraphs = whole.split(/\n\s*\n/);
	const begin = paragraphs.findIndex((one) => one.split('\n').some((line) => !isTitle(line)));
	return paragraphs.slice(Math.max(0, begin)).flatMap((one, paragraph) => {
		const lines = one
			.split('\n')
			.filter((line) => begin < 0 || !(line.startsWith('|') || (paragraph === 0 && isTitle(line))));
		const joined = lines.map((line) => removeFrame(line.replace(/^\s*#+ /, '').trim())).join('\n');
		return joinNumbers(joined.split(sentenceOrLineEndPattern).map(quoteLine)).map((line) => ({
			text: line,
			paragraph,
		}));
	});
}

/** Returns a line without the frame that a program drew around its text. */
function removeFrame(line: string): string {
	return line
		.replace(/^[│┃║]/, '')
		.replace(/[│┃║]$/, '')
		.trim();
}

/** Joins the numbers of list items with the texts after them. Leaves out texts without words, such as rulers. */
function joinNumbers(sentences: readonly string[]): string[] {
	const whole: string[] = [];
	for (const sentence of sentences) {
		if (/^\d{1,2}[.)]$/.test(whole.at(-1) ?? '')) whole.push(`${whole.pop()} ${sentence}`);
		else if (/[\p{L}\p{N}]/u.test(sentence)) whole.push(sentence);
	}
	return whole;
}

function isTitle(line: string): boolean {
	return titlePattern.test(line.trim());
}

/** Returns at least one sentence: those of the first paragraph and of the list it introduces, up to the maximum length. */
function joinFirst(sentences: readonly Sentence[]): string[] {
	let length = 0;
	const end = sentences.findIndex(({ text, paragraph }, index) => {
		const before = sentences[index - 1];
		if (before === undefined) length = text.length;
		else if (before.paragraph === paragraph || /[:：]$/.test(before.text)) length += text.length + 1;
		else return true;
		// What is introduced says more than the introduction, even if it is too long.
		return length > maxPartLength && before !== undefined && !/[:：]$/.test(before.text);
	});
	return sentences.slice(0, end < 0 ? sentences.length : end).map(({ text }) => text);
}
