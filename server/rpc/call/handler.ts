import type { CancellationToken, ProgressToken } from 'vscode-jsonrpc/node';
import * as z from 'zod/mini';
import { linkAbort } from '../../client/cancellation.ts';
import { AnswerError } from '../../core/failure.ts';
import { isFields } from '../../core/shape.ts';
import { workDoneProgressCancel } from '../../protocol/lsp.ts';
import type { Logger } from '../../session/ports.ts';
import type { ConnectedClient } from './client.ts';
import { type CallContext, type NotificationMethod, onNotification, type RequestMethod } from './define.ts';
import { createCancelledError, formatError, toAnswerError } from './errors.ts';
import { normalizeParams, objectSchema } from './object.ts';

/** The controllers of running requests, with their progress tokens. */
export type RunningRequests = Map<AbortController, ProgressToken | undefined>;

/** The connection, log and running requests that handlers share. */
export interface HandlerScope {
	client: ConnectedClient;
	logger: Logger;
	runningRequests: RunningRequests;
}

export interface MethodCall {
	params: unknown;
	token: CancellationToken;
	/** Name of the params in error messages; by default `params`. */
	paramsName?: string;
}

function readProgressToken(params: unknown): ProgressToken | undefined {
	const token = isFields(params) ? params.workDoneToken : undefined;
	return typeof token === 'string' || typeof token === 'number' ? token : undefined;
}

/**
 * Runs a request handler: validates params, provides a signal, ends the progress, and throws only answer errors.
 *
 * Runs synchronously up to the handler's first `await`, so that requests start in the order of their arrival.
 */
export async function runRequest(
	method: RequestMethod,
	call: MethodCall,
	scope: HandlerScope,
): Promise<unknown> {
	const { client, logger, runningRequests } = scope;
	const params = normalizeParams(call.params);
	const { controller, dispose } = linkAbort(call.token);
	if (call.token.isCancellationRequested) throw createCancelledError(method.method);
	const progressToken = readProgressToken(params);
	runningRequests.set(controller, progressToken);
	const progress = client.createProgress(progressToken);
	const context: CallContext = {
		// A getter: only long requests use the signal, and creating it costs as much as the rest of this function.
		get signal() {
			return controller.signal;
		},
		client,
		progress,
		log: logger,
	};
	try {
		return await method.handle(params, context, call.paramsName);
	} catch (error) {
		throw toAnswerError(error, { method: method.method, signal: controller.signal, logger });
	} finally {
		progress.end();
		runningRequests.delete(controller);
		dispose();
	}
}

/** Runs a notification handler; logs errors, because there is no response. */
export async function runNotification(
	method: NotificationMethod,
	receivedParams: unknown,
	scope: HandlerScope,
): Promise<void> {
	const { logger } = scope;
	try {
		await method.handle(normalizeParams(receivedParams), logger);
	} catch (error) {
		if (error instanceof AnswerError) logger.warn(`${method.method} ignored: ${error.message}`);
		else logger.error(`${method.method} failed: ${formatError(error)}`);
	}
}

/** Returns the handler of `window/workDoneProgress/cancel`, which cancels the running requests with that progress token. */
export function createProgressCancelMethod(running: RunningRequests): NotificationMethod {
	return onNotification(
		workDoneProgressCancel,
		objectSchema({ token: z.union([z.string(), z.number()]) }),
		({ token }) => {
			for (const [controller, progressToken] of running) if (progressToken === token) controller.abort();
		},
	);
}
