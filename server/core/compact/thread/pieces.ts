/** What a session said, in pieces: the thread of it, from which a reader can go on. */

import type { ToolCall } from '../../../protocol/conversation.ts';
import { touchesOf } from '../../files/touchesOf.ts';
import type { Source } from '../ledger/source.ts';
import type { Steps } from '../ledger/steps.ts';
import { callLine, callOutcome, onlySpeaks, spokenIn } from './calls.ts';
import { cleanText } from './clean.ts';
import { commandOf, isLook } from './commands.ts';
import { type Found, foundLines, foundSentences } from './found.ts';
import type { Outcome } from './outcomes.ts';
import { endsOf, firstOfData, longThought, worths } from './tuning.ts';
import { answerIn, isTyped, longestVerbatim } from './userWords.ts';
import { wordsIn } from './words.ts';

export interface Piece {
	/** Told: what somebody said or did, and what a service answered in data. Shown: a line of another result. */
	kind: 'told' | 'shown';
	/** Its message, by index among the sources. */
	message: number;
	/** Place within its message. */
	order: number;
	text: string;
	/** Stands on a line of its own. */
	ownLine: boolean;
	/** What it is worth beside a plain sentence of the agent, by its length. */
	worth: number;
	words: readonly number[];
}

/** What a piece is before it has its place. */
type Part = Pick<Piece, 'kind' | 'text' | 'ownLine' | 'worth' | 'words'>;

/** Sources that are looked at in one step. */
const atOnce = 100;

/** Of longer results the two ends are looked at, half of this each. UTF-16 units. */
const longestResult = 8000;
/** Longer lines are data without structure. UTF-16 units. */
const longestLine = 400;
/** A line of prose, fewer signs of it in scripts that write a word in one or two; and the share of such lines that makes a result a report. */
const proseLine =
	/^\s*(?:[-*#\d.)|]+\s+)?(?:[\p{Lu}"'(`*\p{Lo}][^{};=<>]{40,}|(?=[^{};=<>]*[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]{6})[^{};=<>]{14,})/u;
const reportShare = 0.4;

/** The pieces of the thread, in order. */
export function* pieceSteps(
	sources: readonly Source[],
	outcomes: ReadonlyMap<Source, Outcome>,
	undone: ReadonlyMap<Source, Source>,
	found: Found,
): Steps<Piece[]> {
	const byCall = new Map<string, Outcome>();
	for (const one of outcomes.values()) byCall.set(callKey(one.caller, one.call), one);
	const pieces: Piece[] = [];
	for (const [message, source] of sources.entries()) {
		if (message % atOnce === atOnce - 1) yield;
		let order = 0;
		for (const { kind, text, ownLine, worth, words } of partsOf(source, outcomes, byCall, undone, found)) {
			if (text !== '') pieces.push({ kind, message, order: order++, text, ownLine, worth, words });
		}
	}
	return pieces;
}

function callKey({ seq }: Source, { id }: ToolCall): string {
	return `${seq}\0${id}`;
}

function partsOf(
	source: Source,
	outcomes: ReadonlyMap<Source, Outcome>,
	byCall: ReadonlyMap<string, Outcome>,
	undone: ReadonlyMap<Source, Source>,
	found: Found,
): Part[] {
	if (source.role === 'assistant') {
		const isLong = source.text.length > longThought;
		const share = undone.has(source) ? worths.undone : isLong ? worths.longThought : 1;
		return [
			...proseParts(found, source.text, share, source.thought),
			...source.calls.flatMap((call) => callParts(found, call, byCall.get(callKey(source, call)), share)),
		];
	}
	if (source.role === 'system') return proseParts(found, source.text, worths.system);
	if (source.role === 'tool') return resultParts(found, source, outcomes.get(source));
	// What is short stands word for word elsewhere.
	if (source.text.trim().length <= longestVerbatim) return [];
	return proseParts(found, source.text, isTyped(source) ? worths.asked : worths.injected);
}

function proseParts(found: Found, of: string, share: number, thought = 0): Part[] {
	return foundSentences(found, of).map(({ text, from, ownLine, worth, words }) => {
		const thinking = from < thought ? worths.thought : 1;
		return { kind: 'told', text, ownLine, worth: worth * thinking * share, words };
	});
}

function callParts(found: Found, call: ToolCall, outcome: Outcome | undefined, share: number): Part[] {
	const spoken = spokenIn(call).flatMap((text) => proseParts(found, text, share));
	if (outcome?.mechanical || (onlySpeaks(call) && !outcome?.failed)) return spoken;
	const text = `${callLine(call)}${outcome ? callOutcome(outcome) : ''}`;
	return [
		...spoken,
		{ kind: 'told', text, ownLine: true, worth: callWorth(call, outcome), words: wordsIn(text) },
	];
}

function callWorth(call: ToolCall, outcome: Outcome | undefined): number {
	if (outcome?.failed) return outcome.passedLater ? worths.passedLater : worths.failure;
	if (isLook(call)) return worths.look;
	return outcome?.check ? worths.check : worths.call;
}

function resultParts(found: Found, source: Source, outcome: Outcome | undefined): Part[] {
	// The user's answers stand word for word elsewhere.
	if (answerIn(source) !== undefined || outcome?.mechanical) return [];
	const touch = outcome && touchesOf(outcome.call)[0];
	if (!source.structured && isReport(source.text)) {
		const share = touch?.kind === 'read' ? worths.document : worths.report;
		return proseParts(found, cleanText(source.text), share);
	}
	if (touch?.kind === 'edit') return [];
	const isCommand = outcome !== undefined && commandOf(outcome.call) !== undefined;
	const worth = touch ? worths.fileLine : isCommand ? worths.commandLine : worths.dataLine;
	const lines = foundLines(found, source.text, endsOfText);
	const most = source.structured ? endsOf.data : endsOf.lines;
	return lines.flatMap(({ text, words }, index): Part[] => {
		if ((index >= most && index < lines.length - most) || text.length > longestLine) return [];
		const first = source.structured && index === 0 ? firstOfData : 1;
		const kind = source.structured ? 'told' : 'shown';
		return [{ kind, text, ownLine: true, worth: worth * first, words }];
	});
}

function endsOfText(text: string): string {
	if (text.length <= longestResult) return text;
	return `${text.slice(0, longestResult / 2)}\n${text.slice(-longestResult / 2)}`;
}

/** Whether a result is prose: the report of a sub-agent, a page, an answer. */
function isReport(text: string): boolean {
	const lines = text
		.slice(0, longestResult)
		.split('\n')
		.filter((line) => line.trim() !== '');
	return lines.length > 0 && lines.filter((line) => proseLine.test(line)).length / lines.length > reportShare;
}
