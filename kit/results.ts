/** Results of tools on their way in: what is too long is cut once, when it is first about to be sent. */

import { estimateTokens, truncateToTokens } from '../server/core/output/truncateToTokens.ts';
import { isFields } from '../server/core/shape.ts';
import type { ChatMessage, ToolCall } from '../server/protocol/conversation.ts';
import type { Dialect } from './dialects/dialect.ts';
import { commonBeginning } from './fingerprint.ts';
import type { HeldResult, HeldView } from './heldView.ts';

/** When results are cut. */
export interface ResultRules {
	/** Tokens that a result may have, less in a small window; 0 cuts none. */
	tokens: number;
	/** Whether the host clears old results by itself, so that what was sent must be held here. */
	isClearedByHost?: boolean;
}

/** Tokens below which the output of what failed is never cut. */
const failedTokens = 8000;
/** The tools of plugins, under whichever name a host gives them: what a model asks the kit itself comes whole. */
export const ownTool = /(?:^|_)contextd_(?:recall|stats)$/;
/** Tools that show a file, in the words of most agents. */
const readingTool = /read|view|cat|open|fetch_?file|get_?file/i;
/** Arguments by which a call names the lines that it wants. */
const lineArgument =
	/^(?:offset|limit|lines?|line_?range|range|view_?range|start_?line|end_?line|from|to|start|end)$/i;

/** Share of a window that one result may have at most. */
const ofWindow = 1 / 16;

/** The rules in a window of so many tokens: in a small one results are cut to less. */
export function rulesIn(rules: ResultRules, contextWindow: number | undefined): ResultRules {
	if (contextWindow === undefined) return rules;
	return { ...rules, tokens: Math.min(rules.tokens, Math.floor(contextWindow * ofWindow)) };
}

/** A text within so many tokens, both ends and the lines that tell of failures kept; with a line on where the rest is. */
export function cutResult(text: string, tokens: number, callId: string): string {
	return truncateToTokens(text, tokens, `contextd_recall with "${callId}" gives the whole output`);
}

function namesLines({ args }: ToolCall): boolean {
	if (!isFields(args)) return false;
	return Object.entries(args).some(
		([name, value]) => lineArgument.test(name) && value != null && value !== '',
	);
}

/** What a call reads, as far as its words tell; undefined for a call that reads no file. */
function sourceOf(call: ToolCall | undefined): string | undefined {
	return call && readingTool.test(call.name) ? `${call.name} ${JSON.stringify(call.args)}` : undefined;
}

/** Whether a result is never cut. */
function isKept(
	result: ChatMessage,
	call: ToolCall | undefined,
	tokens: number,
	cutSources: ReadonlySet<string>,
): boolean {
	const name = call?.name ?? result.toolName ?? '';
	if (ownTool.test(name)) return true;
	if (result.isError && tokens < failedTokens) return true;
	if (call === undefined || !readingTool.test(name)) return false;
	return namesLines(call) || cutSources.has(sourceOf(call) ?? '');
}

/**
 * Decides on the results of a list that were not sent before, each once: one beyond the rules is held with the text
 * that it is cut to, the others as whole. Gives the view that holds them; the same where nothing is new.
 * @param ids the chain ids of `raw`
 */
export function freezeResults<Native>(
	held: HeldView<Native>,
	raw: readonly Native[],
	ids: readonly string[],
	dialect: Dialect<Native>,
	rules: ResultRules,
): HeldView<Native> {
	const common = commonBeginning(held.known, ids);
	const fresh: Record<string, HeldResult> = {};
	// The answer whose results come now may have been sent before.
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
				: heldResult(callId, text, result, calls.get(callId), rules, cutSources);
			fresh[callId] = one;
			if (one.source !== undefined) cutSources.add(one.source);
		}
	}
	if (Object.keys(fresh).length === 0) return held;
	return { ...held, results: { ...held.results, ...fresh } };
}

/** What is held of a result that was not sent before: the text that it is cut to, where it is beyond the rules. */
export function heldResult(
	callId: string,
	text: string,
	result: ChatMessage,
	call: ToolCall | undefined,
	rules: ResultRules,
	cutSources: ReadonlySet<string>,
): HeldResult {
	const whole = { units: text.length, ...(rules.isClearedByHost && { text }) };
	// No text has more tokens than UTF-16 units times three; most have far fewer.
	if (rules.tokens <= 0 || text.length * 3 <= rules.tokens) return whole;
	const tokens = estimateTokens(text);
	if (tokens <= rules.tokens || isKept(result, call, tokens, cutSources)) return whole;
	const cut = cutResult(text, rules.tokens, callId);
	if (cut.length >= text.length) return whole;
	const source = sourceOf(call);
	return { units: text.length, text: cut, ...(source !== undefined && { source }) };
}
