/**
 * Shortens tool results that are too long, once: before they are sent for the first time, or as they arrive, for hosts
 * that store results on arrival. The original then stays in the result's details, which the host stores and does not send.
 */

import { estimateTokens } from '../server/core/measure/text/textCounter.ts';
import { shortenResult } from '../server/core/output/shortenResult.ts';
import { isFields } from '../server/core/shape.ts';
import type { ChatMessage, ToolCall } from '../server/protocol/conversation.ts';
import type { CarriedResult, Dialect } from './dialects/dialect.ts';
import { commonBeginningLength, type IdentifiedList } from './fingerprint.ts';
import type { HeldResult, HeldView } from './heldView.ts';

/** When results are shortened. */
export interface ResultRules {
	/** Tokens that a result may have, less in a small window; 0 shortens none. */
	tokens: number;
	/** Whether the host clears old results itself, so that their texts must be held here. */
	isClearedByHost?: boolean;
}

/** Tokens that a result may have by default. */
export const defaultResultTokens = 4000;
/** The output of a failed call is never shortened below this many tokens. */
const maxFailedTokens = 8000;
/** contextd's own tools, with any prefix that a host adds: their results are never shortened. */
export const ownToolPattern = /(?:^|_)contextd_(?:recall|original|stats|pin)$/;
/** Names of tools that read files, in any host: the tables of the agents' tools come with all readers of transcripts. */
const readingTool = /read|view|cat|open|fetch_?file|get_?file/i;
/** Arguments by which a call selects lines. */
const lineArgument =
	/^(?:offset|limit|lines?|line_?range|range|view_?range|start_?line|end_?line|from|to|start|end)$/i;

/** Share of a window that one result may take. */
const maxShareOfWindow = 1 / 16;

/** Returns the rules for a window of `contextWindow` tokens: results are shorter in a small one. */
export function rulesForWindow(rules: ResultRules, contextWindow: number | undefined): ResultRules {
	if (contextWindow === undefined) return rules;
	return { ...rules, tokens: Math.min(rules.tokens, Math.floor(contextWindow * maxShareOfWindow)) };
}

/**
 * Returns a text of at most `tokens`: both ends, lines that report failures, and a line that says where the rest is. A text
 * that would not become shorter is returned unchanged.
 */
export function cutResult(text: string, tokens: number, callId: string): string {
	const where = `contextd_recall with "${callId}" gives the whole output`;
	return shortenResult(text, { tokens, where }, 'failures');
}

function namesLines({ args }: ToolCall): boolean {
	if (!isFields(args)) return false;
	return Object.entries(args).some(
		([name, value]) => lineArgument.test(name) && value != null && value !== '',
	);
}

/** Returns what a call reads, as its tool and arguments; undefined if its tool reads no file. */
function sourceOf(call: ToolCall | undefined): string | undefined {
	return call && readingTool.test(call.name) ? `${call.name} ${JSON.stringify(call.args)}` : undefined;
}

/** Whether a result is never shortened. */
function isNeverCut(
	result: ChatMessage,
	call: ToolCall | undefined,
	tokens: number,
	cutSources: ReadonlySet<string>,
): boolean {
	const name = call?.name ?? result.toolName ?? '';
	if (ownToolPattern.test(name)) return true;
	if (result.isError && tokens < maxFailedTokens) return true;
	if (call === undefined || !readingTool.test(name)) return false;
	return namesLines(call) || cutSources.has(sourceOf(call) ?? '');
}

/**
 * Decides once on each result of a list that was not sent before: one that is too long is held with its shortened text.
 * Returns the view that holds them; the same object if no result is new.
 */
export function decideResults<HostMessage>(
	held: HeldView<HostMessage>,
	{ raw, ids }: IdentifiedList<HostMessage>,
	dialect: Dialect<HostMessage>,
	rules: ResultRules,
): HeldView<HostMessage> {
	const common = commonBeginningLength(held.known, ids);
	const fresh: Record<string, HeldResult> = {};
	// The message with the calls of the first new results may have been sent before.
	const neutral = raw.slice(Math.max(0, common - 1)).flatMap((message) => dialect.neutral(message));
	const calls = new Map(neutral.flatMap(({ toolCalls }) => toolCalls ?? []).map((call) => [call.id, call]));
	const results = new Map(neutral.map((message) => [message.toolCallId ?? '', message]));
	const cutSources = new Set(Object.values(held.results).flatMap(({ source }) => source ?? []));
	for (const message of raw.slice(common)) {
		for (const { callId, text, isCut, source } of dialect.results(message)) {
			if (held.results[callId] !== undefined) continue;
			const result = results.get(callId) ?? { role: 'tool', content: text };
			const one = isCut
				? { units: text.length, ...(source !== undefined && { source }) }
				: decideResult({ message: result, text, call: calls.get(callId) }, callId, rules, cutSources);
			fresh[callId] = one;
			if (one.source !== undefined) cutSources.add(one.source);
		}
	}
	if (Object.keys(fresh).length === 0) return held;
	return { ...held, results: { ...held.results, ...fresh } };
}

/** Whether a view has a shortened result that the view before it does not have. */
export function hasNewCut<HostMessage>(before: HeldView<HostMessage>, after: HeldView<HostMessage>): boolean {
	if (after.results === before.results) return false;
	return Object.entries(after.results).some(
		([callId, { text, units }]) =>
			before.results[callId] === undefined && text !== undefined && text.length !== units,
	);
}

/** A result that was not sent before. */
interface NewResult {
	message: ChatMessage;
	text: string;
	/** Undefined if its call is unknown. */
	call: ToolCall | undefined;
}

/** Returns how a new result is held: with its shortened text if it is too long. */
export function decideResult(
	{ message, text, call }: NewResult,
	callId: string,
	rules: ResultRules,
	cutSources: ReadonlySet<string>,
): HeldResult {
	const whole = { units: text.length, ...(rules.isClearedByHost && { text }) };
	// A UTF-16 unit has at most three tokens, usually far fewer.
	if (rules.tokens <= 0 || text.length * 3 <= rules.tokens) return whole;
	const tokens = estimateTokens(text);
	if (tokens <= rules.tokens || isNeverCut(message, call, tokens, cutSources)) return whole;
	const cut = cutResult(text, rules.tokens, callId);
	if (cut === text) return whole;
	const source = sourceOf(call);
	return { units: text.length, text: cut, ...(source !== undefined && { source }) };
}

/** What the host stores with a shortened result. */
export interface CutDetails {
	/** The original text. */
	whole: string;
	/** Tool and arguments of a read; the next read of the same lines is not shortened. */
	source?: string;
}

/** A result whose call has just ended. */
export interface ArrivedResult {
	call: ToolCall;
	/** The original text. */
	text: string;
	isError: boolean;
}

/** What to store instead of a result. */
export interface ShortenedResult {
	text: string;
	details: CutDetails;
}

/** The view after a result has arrived, and its shortened form; none if the result stays unchanged. */
export interface Arrival<HostMessage> {
	held: HeldView<HostMessage>;
	shortened?: ShortenedResult;
}

/** Shortens a result by the rules when its call has ended. */
export function shortenArrival<HostMessage>(
	held: HeldView<HostMessage>,
	{ call, text: whole, isError }: ArrivedResult,
	rules: ResultRules,
): Arrival<HostMessage> {
	const sources = new Set(Object.values(held.results).flatMap(({ source }) => source ?? []));
	const message = { role: 'tool' as const, content: whole, toolName: call.name, isError };
	const { text, source } = decideResult({ message, text: whole, call }, call.id, rules, sources);
	if (text === undefined || text === whole) return { held };
	const read = source === undefined ? {} : { source };
	const results = { ...held.results, [call.id]: { units: text.length, ...read } };
	return { held: { ...held, results }, shortened: { text, details: { whole, ...read } } };
}

/** Returns the details of a result with the original added. */
export function withCutDetails(details: object | undefined, cut: CutDetails): Record<string, unknown> {
	return { ...details, contextd: cut };
}

/** Reads the original from the details of a shortened result; undefined for any other. */
export function cutDetailsIn(details: unknown): CutDetails | undefined {
	const own = isFields(details) ? details.contextd : undefined;
	if (!isFields(own) || typeof own.whole !== 'string') return undefined;
	return { whole: own.whole, ...(typeof own.source === 'string' && { source: own.source }) };
}

/** Returns a result of a message, with what its details say about it. */
export function carriedResult(callId: string, text: string, details: unknown): CarriedResult {
	const cut = cutDetailsIn(details);
	if (cut === undefined) return { callId, text };
	return { callId, text, isCut: true, ...(cut.source !== undefined && { source: cut.source }) };
}
