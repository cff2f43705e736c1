/**
 * Shortens results as they arrive, for hosts that store results on arrival: the original stays in the result's
 * details, which the host stores and does not send.
 */

import { isFields } from '../server/core/shape.ts';
import type { ToolCall } from '../server/protocol/conversation.ts';
import type { CarriedResult } from './dialects/dialect.ts';
import type { HeldView } from './heldView.ts';
import { decideResult, type ResultRules } from './results.ts';

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
