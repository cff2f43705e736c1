/** Lists the requests of a session. */

import { getOrInsert } from '../../getOrInsert.ts';
import type { Seq } from '../../history/record.ts';
import { findCommand, readExpandedCommand } from '../message/commandTemplates.ts';
import { isTaskWithPrompt } from '../message/observation.ts';
import type { Source } from '../message/source.ts';
import { isBareCommand, readTypedCommand } from '../message/typedCommands.ts';
import { isRequest } from '../text/statements.ts';
import { needsQuestion } from './closingQuestion.ts';
import { removeAttachments, type UserRule } from './rules.ts';
import type { UserStatement } from './userStatements.ts';

/** A user's request without attachments. */
export interface UserRequest {
	source: Source;
	text: string;
	/** What a short answer means: the question before it, or the options that it names. */
	note?: string;
	/** The message that undid all work for the request. */
	undoneIn?: Source;
}

/**
 * Returns the request that started the work. Agents that write commands as text may show a demonstration first. The task
 * then follows, with the agent's prompt below it; later messages with that prompt are output, not requests.
 */
export function findGoal(requests: readonly UserRequest[]): UserRequest | undefined {
	return requests.findLast(({ source }) => isTaskWithPrompt(source.text)) ?? requests[0];
}

/** A tool whose call ends the agent's turn, so that the user's next message is a request of its own. */
const completingToolPattern = /complet|finish|submit|notify|message_?user/i;
/** Words with which a message replaces the work instead of adding to it. */
const replacingPattern =
	/\b(?:abandon|cancel|drop|forget|instead|leave|never ?mind|new (?:task|topic)|revert|scrap|stop|undo)\b|\b(?:vergiss|stattdessen|stopp|abbrechen|lass das)\b|やめ|代わりに|停止|取消|不用了|改为/i;
/** Maximum length of a request that only adds to the one before it. UTF-16 units. */
const maxAddedLength = 200;

/**
 * Returns the request that the agent was working on when the user sent the newest one, which only adds to it: "use uv".
 * Undefined if the agent had ended its turn, or if the newest request is long.
 */
function findOngoingRequest(
	requests: readonly UserRequest[],
	additions: ReadonlySet<UserRequest>,
): UserRequest | undefined {
	const added = requests.findLastIndex((one) => !additions.has(one));
	return added === requests.length - 1 ? undefined : requests[Math.max(0, added)];
}

/** Returns the requests that only add to the work which the agent was doing when the user sent them. O(messages). */
function findAdditions(requests: readonly UserRequest[], sources: readonly Source[]): Set<UserRequest> {
	const bySource = new Map<Source, UserRequest[]>();
	for (const request of requests) getOrInsert(bySource, request.source, () => []).push(request);
	const additions = new Set<UserRequest>();
	let before: Source | undefined;
	for (const source of sources) {
		for (const request of bySource.get(source) ?? []) if (isAdded(request, before)) additions.add(request);
		if (source.role !== 'system' && !(source.role === 'user' && source.isInjected)) before = source;
	}
	return additions;
}

/** @param before the message before the request, without those that programs wrote */
function isAdded({ source, text }: UserRequest, before: Source | undefined): boolean {
	if (text.length > maxAddedLength || replacingPattern.test(text) || readExpandedCommand(source.text))
		return false;
	const toolNames = before?.role === 'tool' ? [before.toolName ?? ''] : before?.calls.map(({ name }) => name);
	return (toolNames ?? []).length > 0 && !toolNames?.some((name) => completingToolPattern.test(name));
}

/** Returns the requests of users that were not taken back or replaced, oldest first, from the first one in words on. */
function listRequests(
	statements: readonly UserStatement[],
	replaced: ReadonlyMap<Source, Source>,
): UserRequest[] {
	const typedStatements = statements.filter(
		({ kind, source }) => kind === 'typed' || readTypedCommand(source.text) !== undefined,
	);
	const takesBack = new Set(typedStatements.flatMap(({ takenBack }) => takenBack ?? []));
	const requests = typedStatements.flatMap((statement): UserRequest[] => {
		if (statement.takenBack || replaced.has(statement.source)) return [];
		const command = statement.kind === 'wrapped' ? readTypedCommand(statement.source.text) : undefined;
		if (command !== undefined) return [{ source: statement.source, text: command }];
		const text = findRequestText(statement, takesBack.has(statement.source));
		const { source, precedingQuestion, chosenOptions, interruptedIn, undoneIn } = statement;
		if (readExpandedCommand(source.text)) return [{ source, text, undoneIn }];
		if (chosenOptions) return [{ source, text, note: chosenOptions, undoneIn }];
		const isAnswer = text !== '' && !/^\/|[?？]$/.test(text);
		if (precedingQuestion && isAnswer && needsQuestion(text, precedingQuestion)) {
			const note = `asked: ${precedingQuestion}${interruptedIn ? '; interrupted' : ''}`;
			return [{ source, text, note, undoneIn }];
		}
		return isRequest(text) ? [{ source, text, undoneIn }] : [];
	});
	const first = Math.max(
		0,
		requests.findIndex(({ text }) => !isBareCommand(text) && !openingWordPattern.test(text)),
	);
	const { text: reply = '' } = requests[first + 1] ?? {};
	const isDeclined = reply.length <= maxDecliningLength && decliningPattern.test(reply);
	return requests.slice(isDeclined && first + 2 < requests.length ? first + 2 : first);
}

/** A word or a greeting that begins a session, and asks for nothing. */
const openingWordPattern =
	/^(?:init|login|ping|test(?:ing)?|(?:hi|hello|hey|hallo|hola|bonjour|привет)(?:[ ,]{1,2}\p{L}{2,20})?|你好|您好|こんにちは)[\s\p{P}]{0,9}$/iu;
/** The start of a message with which the user gives up what the request before it asked. */
const decliningPattern =
	/^\s{0,9}(?:(?:ok(?:ay)?|no|then|好的?|那)[,.，。 ]{1,3})?(?:(?:there is |there['’]s )?no need\b(?! to)|not (?:needed|necessary)\b|(?:leave|keep) (?:it|everything) as (?:it )?is\b|forget it\b|skip (?:it|that)\b|never ?mind\b|(?:das ist )?nicht (?:mehr )?nötig\b|lass es\b|不需要了|不用了|算了|(?:保持|维持)现状|やめて?おき|不要です)/i;
/** Maximum length of such a message. A longer one asks for something else. UTF-16 units. */
const maxDecliningLength = 40;

/** Commands without arguments on lines of their own, which some transcripts join with the message that followed. */
const openingCommandsPattern = /^(?:\/[\w-]{1,40}[ \t]*\n\s*)+/;

/**
 * Returns a message's text without attachments, commands before it and, if `takesBack`, the sentence that retracts another
 * message.
 */
function findRequestText({ text, pasted, source }: UserStatement, takesBack: boolean): string {
	const wholeText = removeAttachments(pasted === 'whole' ? source.text : text).trim();
	const requestText = wholeText.replace(openingCommandsPattern, '');
	return takesBack ? requestText.replace(/^[^.!?。！？\n]*[.!?。！？\n]+\s*/, '') : requestText;
}

/** Words of a rule that limits a single request: "No other changes", "Touch nothing else". */
const oneRequestPattern =
	/\b(?:no other (?:changes?|edits?|files?)|(?:nothing|anything) else|any other (?:parts?|sections?|lines?|files?|code))\b|他は(?:触ら|変更し)|其他(?:部分|地方|代码)?都?(?:不要|别)|sonst nichts/i;
/** Words of a rule that also holds for later requests. */
const lastingPattern =
	/\b(?:always|never|ever|from now on|in (?:any|every|all) (?:case|request|task)s?)\b|immer|niemals/i;

/** A request to carry out a plan, whose steps are not rules for other plans. */
const planPattern = /^\s{0,9}(?:please,? )?implement (?:that|the|the following|this|your) plan\b/i;

/** The requests of a session. */
export interface UserRequests {
	/** Those that were not taken back or replaced, oldest first. */
	all: readonly UserRequest[];
	/** The request to which the newest one only adds, while the agent works on it; absent if there is none. */
	ongoing?: UserRequest;
	/**
	 * Whether a rule only limits a request before the current one, or belongs to a plan that another plan followed, or to the
	 * template of a command that another request followed.
	 */
	isPastRule: (rule: Pick<UserRule, 'text' | 'source' | 'isOfTemplate'>) => boolean;
	/** The user's words in the templates of commands that another request followed, by the messages with the templates. */
	pastTemplates: ReadonlyMap<Source, string>;
}

/** Returns the user's words in the templates of commands before a message, by the messages with the templates. */
function collectPastTemplates(sources: readonly Source[], endSeq: Seq): Map<Source, string> {
	const inputs = new Map<Source, string>();
	for (const [index, source] of sources.entries()) {
		const command = source.seq < endSeq ? findCommand(source, sources[index - 1]) : undefined;
		if (command !== undefined) inputs.set(source, command.input);
	}
	return inputs;
}

/** Returns the requests in the user's statements; `sources` are all messages of the session. */
export function collectRequests(
	statements: readonly UserStatement[],
	replaced: ReadonlyMap<Source, Source>,
	sources: readonly Source[],
): UserRequests {
	const all = listRequests(statements, replaced);
	const additions = findAdditions(all, sources);
	const ongoing = findOngoingRequest(all, additions);
	const currentSeq = (ongoing ?? all.at(-1))?.source.seq ?? 0;
	const commandEndSeq = all.findLast((one) => one.note === undefined && !additions.has(one))?.source.seq ?? 0;
	const planSeq = all.findLast(({ text }) => planPattern.test(text))?.source.seq ?? 0;
	const isOfOldPlan = ({ seq, text }: Source): boolean => seq < planSeq && planPattern.test(text);
	return {
		all,
		ongoing,
		pastTemplates: collectPastTemplates(sources, commandEndSeq),
		isPastRule: ({ text, source, isOfTemplate }) =>
			(isOfTemplate && source.seq < commandEndSeq) ||
			(((source.seq < currentSeq && oneRequestPattern.test(text)) || isOfOldPlan(source)) &&
				!lastingPattern.test(text)),
	};
}
