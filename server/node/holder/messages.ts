/** What a holder and those who ask it say to each other, once both have proven themselves. */

import { NotificationType, RequestType } from 'vscode-jsonrpc/node';
import type { ChainLink, Settings } from '../../protocol/settings.ts';
import type { ModelQuestion, ModelReply } from '../../session/ports.ts';

/** A write that is asked for. */
export interface CallParams {
	/** A UUID: the same for the same write, however often it is asked for. */
	operation: string;
	method: string;
	params: unknown;
	/** Those of whoever asks, without any key. */
	settings: Settings;
	/** Whether the client of whoever asks offers its user's model. */
	offersModel: boolean;
	/** Milliseconds since the epoch until which it may be written. */
	until: number;
}

export interface AliveParams {
	/** As of a call: all that is under way may be written until then. */
	until: number;
}

export interface CallProgressParams {
	operation: string;
	title?: string;
	message?: string;
	percentage?: number;
}

export interface AskParams {
	operation: string;
	sessionId: string;
	/** As the settings that came with the call say it. */
	link: ChainLink;
	question: ModelQuestion;
}

/** What a model said, or why it said nothing. */
export type AskResult =
	| { reply: ModelReply }
	| { failure: { message: string; retryable: boolean; retryAfterMs?: number; timedOut: boolean } };

/** To the holder. */
export const call = new RequestType<CallParams, unknown, unknown>('holder/call');
/** To the holder, again and again while it works. */
export const alive = new RequestType<AliveParams, null, void>('holder/alive');
/** From the holder. */
export const progress = new NotificationType<CallProgressParams>('holder/progress');
/** From the holder, which asks nobody itself: keys stay where they are. */
export const ask = new RequestType<AskParams, AskResult, void>('holder/ask');

/** The error that answers a write which the holder can do no more, or may not do any more: it is to be asked for anew. */
export const notHolding = -31900;
