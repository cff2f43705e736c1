/**
 * Results that are cut as they arrive, for hosts that store what they are handed then: the whole stays in the details of
 * the result, which the host stores too and does not send.
 */

import { isFields } from '../server/core/shape.ts';
import type { ToolCall } from '../server/protocol/conversation.ts';
import type { CarriedResult } from './dialects/dialect.ts';
import type { HeldView } from './heldView.ts';
import { heldResult, type ResultRules } from './results.ts';

/** What is kept of a result beside what it was cut to. */
export interface CutDetails {
	whole: string;
	/** What it was read from, where it is a read: the next one comes whole. */
	source?: string;
}

/** What is to be stored instead of a result. */
export interface Cut {
	text: string;
	details: CutDetails;
}

/** A view in which a result has arrived, and what it was cut to; no cut where it stays as it is. */
export interface Arrival<Native> {
	held: HeldView<Native>;
	cut?: Cut;
}

/** Cuts a result by the rules when its call has ended. */
export function arrive<Native>(
	held: HeldView<Native>,
	call: ToolCall,
	whole: string,
	isError: boolean,
	rules: ResultRules,
): Arrival<Native> {
	const sources = new Set(Object.values(held.results).flatMap(({ source }) => source ?? []));
	const result = { role: 'tool' as const, content: whole, toolName: call.name, isError };
	const { text, source } = heldResult(call.id, whole, result, call, rules, sources);
	if (text === undefined || text === whole) return { held };
	const read = source === undefined ? {} : { source };
	const results = { ...held.results, [call.id]: { units: text.length, ...read } };
	return { held: { ...held, results }, cut: { text, details: { whole, ...read } } };
}

/** The details of a result with what is kept of it, beside whatever stands in them. */
export function withCutDetails(details: object | undefined, cut: CutDetails): Record<string, unknown> {
	return { ...details, contextd: cut };
}

/** What is kept in the details of a result that was cut as it arrived; undefined of any other. */
export function cutDetailsIn(details: unknown): CutDetails | undefined {
	const own = isFields(details) ? details.contextd : undefined;
	if (!isFields(own) || typeof own.whole !== 'string') return undefined;
	return { whole: own.whole, ...(typeof own.source === 'string' && { source: own.source }) };
}

/** A result as a message carries it, with what its details tell of it. */
export function carriedResult(callId: string, text: string, details: unknown): CarriedResult {
	const cut = cutDetailsIn(details);
	if (cut === undefined) return { callId, text };
	return { callId, text, isCut: true, ...(cut.source !== undefined && { source: cut.source }) };
}
