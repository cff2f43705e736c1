/** Checks calls over a channel, which may use only certain methods, and only for the channel's session. */

import { isFields, isNestedDeeper } from '../core/shape.ts';
import {
	contextCompact,
	contextHistory,
	contextOriginal,
	contextPin,
	contextPrepare,
	contextRecall,
	contextRecover,
	contextStats,
	contextTimeline,
	contextUndo,
	errorCodes,
	sessionAppend,
	sessionHoldView,
	sessionInheritView,
	sessionList,
	sessionMessageIds,
	sessionOpen,
	sessionReportUsage,
	sessionRewind,
	sessionUpdate,
} from '../protocol/index.ts';

/** Methods that a plugin needs for its conversation. None of them reads files or changes settings. */
const allowedMethods: ReadonlySet<string> = new Set(
	[
		sessionOpen,
		sessionAppend,
		sessionUpdate,
		sessionRewind,
		sessionReportUsage,
		sessionMessageIds,
		sessionHoldView,
		sessionInheritView,
		sessionList,
		contextPrepare,
		contextCompact,
		contextUndo,
		contextRecover,
		contextStats,
		contextTimeline,
		contextHistory,
		contextRecall,
		contextOriginal,
		contextPin,
	].map(({ method }) => method),
);

/** A valid request, or the reason for its refusal. */
export type CheckedCall =
	| { method: string; params: Record<string, unknown>; timeoutMs: number }
	| { error: { code: number; message: string } };

function refuse(code: number, message: string): CheckedCall {
	return { error: { code, message } };
}

/** Maximum and default timeout of a plugin's request, in milliseconds. */
const maxTimeoutMs = 600_000;
/** Maximum levels of nested arrays and objects that the daemon accepts. */
const maxDepth = 1000;

/** Parses the payload of a request; without a session id, the channel's session is used. */
export function checkCall(payload: unknown, session: string): CheckedCall {
	if (!isFields(payload) || typeof payload.method !== 'string')
		return refuse(errorCodes.invalidRequest, 'expected { method, params }');
	const { method, params = {}, timeoutMs = maxTimeoutMs } = payload;
	if (!allowedMethods.has(method))
		return refuse(errorCodes.methodNotFound, `${method.slice(0, 100)} is not served over this channel`);
	if (typeof timeoutMs !== 'number' || !(timeoutMs > 0 && timeoutMs <= maxTimeoutMs)) {
		return refuse(errorCodes.invalidParams, `timeoutMs: expected more than 0 and at most ${maxTimeoutMs}`);
	}
	if (!isFields(params)) return refuse(errorCodes.invalidParams, 'params: expected an object');
	if (isNestedDeeper(params, maxDepth))
		return refuse(errorCodes.invalidParams, `params: expected at most ${maxDepth} levels of nesting`);
	const { sessionId = session } = params;
	const isServed =
		typeof sessionId === 'string' && (sessionId === session || sessionId.startsWith(`${session}/`));
	if (!isServed)
		return refuse(errorCodes.invalidParams, `params.sessionId: this channel is only for "${session}"`);
	return { method, params: { ...params, sessionId }, timeoutMs };
}
