/**
 * Finds agent statements that no longer matter: answered questions and offers, old guesses, answers to withdrawn
 * requests, and the current work of an earlier summary.
 */

import { getFileName } from '../../files/paths.ts';
import type { TouchedFiles } from '../changes/fileCalls.ts';
import type { Source } from '../message/source.ts';
import { isGuess, isOffer, isQuestion } from '../text/cues.ts';
import type { UserRequests } from '../user/requests.ts';
import { findAnswersTakenBack, isTyped, type UserStatement } from '../user/userStatements.ts';
import { findPassingParts, type PassingPart } from './recaps.ts';

/** Number of newest messages whose guesses still count as open. */
const openMessageCount = 6;

/** Number of messages after which the current work of an earlier summary is outdated, even in the same turn. */
const passingMessageCount = 40;

/** A report of uncommitted work. A later commit changes what is uncommitted. */
const uncommittedPattern =
	/\bnothing (?:is|was|has been) (?:yet )?committed\b|(?:\b(?:is|are|was|were|has|have)(?: not|n't)|\bnot) (?:yet |been ){0,2}committed\b|\b(?:is|are|remains?|stays?|leaves?) (?:\S{1,40} ){0,3}uncommitted\b|\buncommitted (?:files?|changes?) (?:is|are|remains?)\b|\bnicht (?:committet|committed)\b|コミットしていません|未コミット|(?:未|没有?)提交/i;
/** A report that all work is committed. A later change of a file ends it. */
const cleanPattern =
	/\b(?:working (?:tree|directory)|worktree|repo(?:sitory)?(?: state)?|git (?:status|state|tree)) (?:is|remains|stays) (?:now |still |currently )?clean\b/i;

/** A report that a file was made. The removal of the file ends it. */
const creationPattern =
	/\b(?:created?|wrote|written|added|generated)\b|\b(?:erstellt|angelegt)\b|作成|创建|生成/i;
/** A report that a file is removed. */
const removalPattern = /\b(?:remov|delet|discard|drop|undo)|(?:gelöscht|entfernt)|削除|删除/i;

/** Decides which statements of messages are settled. */
export class SettledStatements {
	private readonly answeredSources: ReadonlySet<Source>;
	private readonly answersTakenBack: ReadonlySet<Source>;
	/** Ordinal of the first message whose guesses still count as open. */
	private readonly firstOpenSeq: number;
	private readonly lastCommitSeq: number;
	private readonly lastChangeSeq: number;
	private readonly removedFiles: TouchedFiles['removed'];
	/** The parts of agents' own summaries that later work settled. */
	private readonly passedParts: ReadonlyMap<Source, readonly PassingPart[]>;

	private readonly pastTemplates: UserRequests['pastTemplates'];

	/** Finds the answered messages, and the answers to requests that the user took back. O(messages). */
	constructor(
		sources: readonly Source[],
		statements: readonly UserStatement[],
		{ changed, removed, lastCommitSeq }: TouchedFiles,
		pastTemplates: UserRequests['pastTemplates'],
	) {
		this.pastTemplates = pastTemplates;
		this.answeredSources = new Set(
			sources.flatMap((one, index) => (isTyped(one) ? (sources[index - 1] ?? []) : [])),
		);
		this.answersTakenBack = findAnswersTakenBack(sources, statements);
		this.firstOpenSeq = sources.at(-openMessageCount)?.seq ?? 0;
		this.lastCommitSeq = lastCommitSeq;
		this.removedFiles = removed.filter(({ movedTo }) => movedTo === undefined);
		this.lastChangeSeq = [...changed, ...removed].reduce((last, { seq }) => Math.max(last, seq), -1);
		const lastTurnEnd = [...this.answeredSources].findLast(({ role }) => role === 'assistant')?.seq ?? -1;
		this.passedParts = new Map(
			sources
				.filter(
					({ isRecap, seq }, index) =>
						isRecap && (seq < lastTurnEnd || index < sources.length - passingMessageCount),
				)
				.map((recap) => [recap, findPassingParts(recap.text)]),
		);
	}

	/** Whether a later answer or later work settled a text of a message. `from` is its position, if it is known. */
	has(source: Source, text: string, from = -1): boolean {
		if (this.passedParts.get(source)?.some((part) => from >= part.from && from < part.to)) return true;
		if (source.role !== 'assistant') return false;
		if (this.answersTakenBack.has(source)) return true;
		if (source.seq < this.lastCommitSeq && uncommittedPattern.test(text)) return true;
		if (source.seq < this.lastChangeSeq && cleanPattern.test(text)) return true;
		if (this.reportsRemovedFile(source, text)) return true;
		if (isRetractedAtOnce(source, text, from)) return true;
		return (
			(this.answeredSources.has(source) && (isQuestion(text) || isOffer(text))) ||
			(source.seq < this.firstOpenSeq && isGuess(text))
		);
	}

	/**
	 * Whether a message was made from the template of a command that is over; with `line`, whether this line of the message is
	 * not one of the user's own words.
	 */
	isOfPastTemplate(source: Source, line?: string): boolean {
		const input = this.pastTemplates.get(source);
		return input !== undefined && (line === undefined || !input.includes(line));
	}

	/** Whether a text reports that a file was made that was removed later. */
	private reportsRemovedFile({ seq }: Source, text: string): boolean {
		if (this.removedFiles.length === 0 || !creationPattern.test(text) || removalPattern.test(text))
			return false;
		return this.removedFiles.some((file) => seq < file.seq && text.includes(getFileName(file.path)));
	}
}

/** The start of a sentence that takes back the one before it. A sentence with "Wait" alone is a guess. */
const retractionPattern =
	/^\s{1,9}(?:(?:oh|ah|no)\b[,.!… ]{1,3}(?:wait|actually)\b|actually\b(?! \w+ing\b)(?![^.\n]{0,30}\balso\b)|(?:hold on|moment|halt)(?=[,.!…—-]))|^\s{0,9}(?:等等|不对|いや|待って)/i;
/** Length after a sentence that is searched for a retraction. UTF-16 units. */
const retractionRange = 30;

/** A sentence that weighs a choice, and the choice in one of the next sentences. */
const weighingPattern =
	/\bI(?:['’]m| am) (?:deciding|torn|debating|weighing|choosing) (?:between|whether)\b/i;
const choicePattern =
	/[.!?:;—–-]\s{1,9}(?:So )?I(?:['’]ll| will|['’]m going to| am going to) (?:go with|use|take|pick|keep|build)\b/i;
/** Length after a sentence that is searched for the choice. UTF-16 units. */
const choiceRange = 300;

/** Whether a sentence is a part of a thought, and the next sentences take it back or make the choice that it weighs. */
function isRetractedAtOnce({ text: all, thoughtLength = 0 }: Source, text: string, from: number): boolean {
	const end = from + text.length;
	if (from < 0 || end >= thoughtLength) return false;
	if (retractionPattern.test(all.slice(end, end + retractionRange))) return true;
	return weighingPattern.test(text) && choicePattern.test(all.slice(end - 1, end + choiceRange));
}
