/**
 * Shortens tool results that are too long, before they are sent for the first time. For hosts that store results on arrival,
 * a result is shortened on arrival and its details keep the original, which the host stores but does not send.
 */

import { estimateTokens } from '../server/core/measure/text/textCounter.ts';
import { shortenToTokens } from '../server/core/output/shortenResult.ts';
import { type Fields, isFields } from '../server/core/shape.ts';
import type { ChatMessage, ToolCall } from '../server/protocol/conversation.ts';
import type { CarriedResult, Dialect } from './dialects/dialect.ts';
import { countCommonItems, type IdentifiedList } from './fingerprint.ts';
import type { HeldResult, HeldView } from './heldView.ts';

/** When results are shortened. */
export interface ResultRules {
	/** Maximum tokens of a result; the limit is lower in a small window. 0 disables shortening. */
	tokens: number;
	/** Whether the host clears old results by itself, so that the view must hold their texts. */
	isClearedByHost?: boolean;
}

/** Default for the maximum tokens of a tool result. */
export const defaultResultTokens = 4000;
/** The output of a failed call is shortened only if it has at least this many tokens. */
const minShortenedFailureTokens = 8000;
/** Matches contextd's own tools, with any prefix that a host adds. Their results are never shortened. */
export const ownToolPattern = /(?:^|_)contextd_(?:recall|original|stats|pin)$/;
/** Matches names of tools that read files, in any host. The agents' own tables would load all transcript readers into a plugin. */
const readingToolPattern = /read|view|cat|open|fetch_?file|get_?file/i;
/** Matches names of arguments that select lines. */
const lineArgumentPattern =
	/^(?:offset|limit|lines?|line_?range|range|view_?range|start_?line|end_?line|from|to|start|end)$/i;

/** Largest share of a window that one result may use. */
const maxShareOfWindow = 1 / 16;

/** Returns the rules with a lower limit if the window, of `contextWindow` tokens, is small. */
export function limitRulesToWindow(rules: ResultRules, contextWindow: number | undefined): ResultRules {
	if (contextWindow === undefined) return rules;
	return { ...rules, tokens: Math.min(rules.tokens, Math.floor(contextWindow * maxShareOfWindow)) };
}

/**
 * Shortens a result's text to at most `tokens`: keeps both ends and lines that report failures, and adds a line on how to read the
 * rest. A text that would not become shorter is returned unchanged.
 */
export function shortenText(text: string, tokens: number, callId: string): string {
	return shortenToTokens(text, tokens, `contextd_recall with "${callId}" gives the whole output`);
}

function selectsLines({ args }: ToolCall): boolean {
	if (!isFields(args)) return false;
	return Object.entries(args).some(
		([name, value]) => lineArgumentPattern.test(name) && value != null && value !== '',
	);
}

/** Returns tool and arguments of a call that reads a file, as a key; undefined for other calls. */
function createReadKey(call: ToolCall | undefined): string | undefined {
	return call && readingToolPattern.test(call.name) ? `${call.name} ${JSON.stringify(call.args)}` : undefined;
}

/** Whether a result is never shortened. */
function isNeverShortened(
	result: ChatMessage,
	call: ToolCall | undefined,
	tokens: number,
	knownSources: ReadonlySet<string>,
): boolean {
	const name = call?.name ?? result.toolName ?? '';
	if (ownToolPattern.test(name)) return true;
	if (result.isError && tokens < minShortenedFailureTokens) return true;
	if (call === undefined || !readingToolPattern.test(name)) return false;
	return selectsLines(call) || knownSources.has(createReadKey(call) ?? '');
}

/**
 * Decides once for each new result of a list whether it is shortened. Returns the view that also holds the new results, with
 * their shortened texts; the same object if no result is new.
 */
export function decideResults<HostMessage>(
	heldView: HeldView<HostMessage>,
	{ hostMessages, ids }: IdentifiedList<HostMessage>,
	dialect: Dialect<HostMessage>,
	rules: ResultRules,
): HeldView<HostMessage> {
	const common = countCommonItems(heldView.known, ids);
	const newResults: Record<string, HeldResult> = {};
	// The calls of the first new results may be in the last message that was already sent.
	const neutral = hostMessages
		.slice(Math.max(0, common - 1))
		.flatMap((message) => dialect.toNeutral(message));
	const calls = new Map(neutral.flatMap(({ toolCalls }) => toolCalls ?? []).map((call) => [call.id, call]));
	const results = new Map(neutral.map((message) => [message.toolCallId ?? '', message]));
	const knownSources = new Set(Object.values(heldView.results).flatMap((result) => result.source ?? []));
	for (const message of hostMessages.slice(common)) {
		for (const { callId, text, isShortened, source } of dialect.listResults(message)) {
			if (heldView.results[callId] !== undefined) continue;
			const result = results.get(callId) ?? { role: 'tool', content: text };
			const entry = isShortened
				? { units: text.length, ...(source !== undefined && { source }) }
				: decideResult({ message: result, text, call: calls.get(callId) }, callId, rules, knownSources);
			newResults[callId] = entry;
			if (entry.source !== undefined) knownSources.add(entry.source);
		}
	}
	if (Object.keys(newResults).length === 0) return heldView;
	return { ...heldView, results: { ...heldView.results, ...newResults } };
}

/** Whether a later view has a shortened result that the earlier view lacks. */
export function hasNewlyShortened(before: HeldView<unknown>, after: HeldView<unknown>): boolean {
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
	/** The call that the result answers; undefined if it is unknown. */
	call: ToolCall | undefined;
}

/** Returns the entry of a new result in the held view, with a shortened text if the result is too long. */
export function decideResult(
	{ message, text, call }: NewResult,
	callId: string,
	rules: ResultRules,
	knownSources: ReadonlySet<string>,
): HeldResult {
	const unchangedResult = { units: text.length, ...(rules.isClearedByHost && { text }) };
	// A UTF-16 unit has at most three tokens, usually far fewer.
	if (rules.tokens <= 0 || text.length * 3 <= rules.tokens) return unchangedResult;
	const tokens = estimateTokens(text);
	if (tokens <= rules.tokens || isNeverShortened(message, call, tokens, knownSources)) return unchangedResult;
	const shortenedText = shortenText(text, rules.tokens, callId);
	if (shortenedText === text) return unchangedResult;
	const source = createReadKey(call);
	return { units: text.length, text: shortenedText, ...(source !== undefined && { source }) };
}

/** Details that the host stores with a shortened result. */
export interface ShorteningDetails {
	/** The original text. */
	whole: string;
	/** Tool and arguments, if the call read a file: the next call with the same arguments is not shortened. */
	source?: string;
}

/** A tool result whose call has just ended. */
export interface ArrivedResult {
	call: ToolCall;
	/** The original text. */
	text: string;
	isError: boolean;
}

/** The text and details that a host stores instead of a result that was too long. */
export interface ShortenedResult {
	text: string;
	details: ShorteningDetails;
}

/** Returns the view after a result has arrived, and the result shortened by the rules, unless it stays unchanged. */
export function shortenArrivedResult<HostMessage>(
	heldView: HeldView<HostMessage>,
	{ call, text: whole, isError }: ArrivedResult,
	rules: ResultRules,
): { heldView: HeldView<HostMessage>; shortenedResult?: ShortenedResult } {
	const sources = new Set(Object.values(heldView.results).flatMap((result) => result.source ?? []));
	const message = { role: 'tool' as const, content: whole, toolName: call.name, isError };
	const { text, source } = decideResult({ message, text: whole, call }, call.id, rules, sources);
	if (text === undefined || text === whole) return { heldView };
	const read = source === undefined ? {} : { source };
	const results = { ...heldView.results, [call.id]: { units: text.length, ...read } };
	return { heldView: { ...heldView, results }, shortenedResult: { text, details: { whole, ...read } } };
}

/** Returns the details of a result with the original added. */
export function withShorteningDetails(details: object | undefined, shortening: ShorteningDetails): Fields {
	return { ...details, contextd: shortening };
}

/** Reads contextd's part of a result's details; undefined if the result was not shortened. */
export function parseShorteningDetails(details: unknown): ShorteningDetails | undefined {
	const fields = isFields(details) ? details.contextd : undefined;
	if (!isFields(fields) || typeof fields.whole !== 'string') return undefined;
	return { whole: fields.whole, ...(typeof fields.source === 'string' && { source: fields.source }) };
}

/** Returns a tool result, marked as shortened if its details say so. */
export function toCarriedResult(callId: string, text: string, details: unknown): CarriedResult {
	const shortening = parseShorteningDetails(details);
	if (shortening === undefined) return { callId, text };
	return { callId, text, isShortened: true, source: shortening.source };
}
