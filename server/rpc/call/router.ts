import { type CancellationToken, type MessageConnection, ResponseError } from 'vscode-jsonrpc/node';
import type { ExecuteCommandParams } from 'vscode-languageserver-protocol';
import * as z from 'zod/mini';
import { AnswerError } from '../../core/failure.ts';
import { errorCodes } from '../../protocol/errors.ts';
import { executeCommand } from '../../protocol/lsp.ts';
import type { Lifecycle } from '../lifecycle/lifecycle.ts';
import { describeReceived } from '../wire/describeValue.ts';
import { ownMethodPattern, toCommandName } from './commandNames.ts';
import { type NotificationMethod, parseParams, type RequestMethod } from './define.ts';
import { createInvalidParamsError, toInitializeError } from './errors.ts';
import { type HandlerScope, runNotification, runRequest } from './handler.ts';
import { normalizeParams, objectSchema } from './object.ts';
import type { Trace } from './trace.ts';

export interface RouterOptions {
	requests: readonly RequestMethod[];
	/** Handlers of the commands that have no request of the same name. */
	commands: readonly RequestMethod[];
	notifications: readonly NotificationMethod[];
	initialize: RequestMethod;
	/** Runs after the answer to `initialize`, before anything else is served; must not reject. */
	afterInitialize(): Promise<void>;
	shutdown: RequestMethod;
	onExit(): void;
	trace: Trace;
}

/** Parses the params of `workspace/executeCommand`; `arguments[0]` contains the params of the method. */
const parseExecuteCommand = parseParams(
	executeCommand,
	objectSchema({
		command: z.string(),
		arguments: z.optional(z.array(z.any())),
		workDoneToken: z.optional(z.union([z.string(), z.number()])),
	}),
);

/** Returns the methods under `context/`, `recorder/` and `session/`, by command name. */
export function createCommandTable(methods: readonly RequestMethod[]): ReadonlyMap<string, RequestMethod> {
	const ownMethods = methods.filter(({ method }) => ownMethodPattern.test(method));
	return new Map(ownMethods.map((method) => [toCommandName(method.method), method]));
}

/** Returns the params for a command's method, with the progress token of the command unless they have their own. */
function readArguments(params: ExecuteCommandParams): unknown {
	const { arguments: [argument] = [], workDoneToken } = params;
	const value = normalizeParams(argument);
	if (typeof value !== 'object' || value === null || workDoneToken === undefined) return value;
	if ('workDoneToken' in value || (Array.isArray(value) && value.length > 0)) return value;
	return { ...value, workDoneToken };
}

function indexByMethod<T extends { method: string }>(methods: readonly T[]): ReadonlyMap<string, T> {
	return new Map(methods.map((method) => [method.method, method]));
}

/** Converts errors of handlers to the error type of vscode-jsonrpc. */
async function convertErrors(task: Promise<unknown>): Promise<unknown> {
	try {
		return await task;
	} catch (error) {
		throw error instanceof AnswerError ? new ResponseError(error.code, error.message, error.data) : error;
	}
}

/**
 * Routes messages of a connection to their handlers, and refuses messages that the phase of the lifecycle does not allow.
 */
export function routeMessages(
	connection: MessageConnection,
	lifecycle: Lifecycle,
	scope: HandlerScope,
	options: RouterOptions,
): void {
	const { trace } = options;
	const requests = indexByMethod(options.requests);
	const notifications = indexByMethod(options.notifications);
	const commands = new Map([...createCommandTable(options.requests), ...indexByMethod(options.commands)]);

	function execute(receivedParams: unknown, token: CancellationToken): Promise<unknown> {
		const call = parseExecuteCommand(normalizeParams(receivedParams));
		const method = commands.get(call.command);
		if (method === undefined)
			throw createInvalidParamsError(`params.command: unknown command ${describeReceived(call.command)}`);
		return runRequest(method, { params: readArguments(call), token, paramsName: 'arguments[0]' }, scope);
	}

	function serve(name: string, params: unknown, token: CancellationToken): Promise<unknown> {
		const refusal = lifecycle.checkAllowed(name);
		if (refusal !== undefined) throw refusal;
		if (name === 'shutdown') {
			lifecycle.shutDown();
			return runRequest(options.shutdown, { params, token }, scope);
		}
		if (name === 'workspace/executeCommand') return execute(params, token);
		const method = requests.get(name);
		if (method === undefined)
			throw new AnswerError(errorCodes.methodNotFound, `unknown method ${describeReceived(name)}`);
		return runRequest(method, { params, token }, scope);
	}

	async function runInitialize(params: unknown, token: CancellationToken): Promise<unknown> {
		try {
			return await runRequest(options.initialize, { params, token }, scope);
		} catch (error) {
			throw toInitializeError(error);
		}
	}

	async function receive(name: string, params: unknown, token: CancellationToken): Promise<unknown> {
		const initializing = lifecycle.waitForInitialize();
		if (initializing !== undefined && name !== 'initialize') await initializing;
		if (name === 'initialize' && lifecycle.checkAllowed(name) === undefined)
			return lifecycle.initialize(() => runInitialize(params, token), options.afterInitialize);
		return serve(name, params, token);
	}

	async function receiveNotification(name: string, params: unknown): Promise<void> {
		if (name === 'exit') {
			options.onExit();
			return;
		}
		const initializing = lifecycle.waitForInitialize();
		if (initializing !== undefined) await initializing;
		const method = notifications.get(name);
		if (lifecycle.phase !== 'ready') scope.logger.debug(`dropped ${name}, which arrived in the wrong phase`);
		else if (method !== undefined) await runNotification(method, params, scope);
		else if (!name.startsWith('$/')) scope.logger.debug(`${name}: unknown notification`);
	}

	connection.onRequest((name, params, token) =>
		convertErrors(trace.runTraced(name, params, () => receive(name, params, token))),
	);
	connection.onNotification((name, params) =>
		trace.runTraced(name, params, () => receiveNotification(name, params)),
	);
}
