import { type CancellationToken, type MessageConnection, ResponseError } from 'vscode-jsonrpc/node';
import { AnswerError } from '../../core/answerError.ts';
import type { Lifecycle } from '../lifecycle/lifecycle.ts';
import { describeReceived } from '../wire/shown.ts';
import { initializeError, invalidParams, methodNotFound } from './errors.ts';
import { commandArguments, commandTable, parseExecuteCommand } from './executeCommand.ts';
import { type HandlerScope, runNotification, runRequest } from './handler.ts';
import type { NotificationMethod, RequestMethod } from './method.ts';
import { namedParams } from './object.ts';
import type { Trace } from './trace.ts';

export interface RouterOptions {
	requests: readonly RequestMethod[];
	/** Commands besides those that call a request. */
	commands: readonly RequestMethod[];
	notifications: readonly NotificationMethod[];
	initialize: RequestMethod;
	/** Runs after the answer to `initialize`, before anything else is served; must not reject. */
	prepare(): Promise<void>;
	shutdown: RequestMethod;
	onExit(): void;
	trace: Trace;
}

function byMethod<T extends { method: string }>(methods: readonly T[]): ReadonlyMap<string, T> {
	return new Map(methods.map((method) => [method.method, method]));
}

/** Converts our errors to errors of the connection. */
async function withResponseErrors(work: Promise<unknown>): Promise<unknown> {
	try {
		return await work;
	} catch (error) {
		throw error instanceof AnswerError ? new ResponseError(error.code, error.message, error.data) : error;
	}
}

/** Routes messages of a connection to their handlers, as far as the lifecycle phase allows. */
export function routeMessages(
	connection: MessageConnection,
	lifecycle: Lifecycle,
	scope: HandlerScope,
	options: RouterOptions,
): void {
	const { trace } = options;
	const requests = byMethod(options.requests);
	const notifications = byMethod(options.notifications);
	const commands = new Map([...commandTable(options.requests), ...byMethod(options.commands)]);

	function execute(received: unknown, token: CancellationToken): Promise<unknown> {
		const call = parseExecuteCommand(namedParams(received));
		const method = commands.get(call.command);
		if (method === undefined) {
			throw invalidParams(`params.command: unknown command ${describeReceived(call.command)}`);
		}
		return runRequest(method, { params: commandArguments(call), token, paramsName: 'arguments[0]' }, scope);
	}

	function serve(name: string, params: unknown, token: CancellationToken): Promise<unknown> {
		const refusal = lifecycle.refusal(name);
		if (refusal !== undefined) throw refusal;
		if (name === 'shutdown') {
			lifecycle.shutDown();
			return runRequest(options.shutdown, { params, token }, scope);
		}
		if (name === 'workspace/executeCommand') return execute(params, token);
		const method = requests.get(name);
		if (method === undefined) throw methodNotFound(name);
		return runRequest(method, { params, token }, scope);
	}

	async function runInitialize(params: unknown, token: CancellationToken): Promise<unknown> {
		try {
			return await runRequest(options.initialize, { params, token }, scope);
		} catch (error) {
			throw initializeError(error);
		}
	}

	async function receive(name: string, params: unknown, token: CancellationToken): Promise<unknown> {
		const initializing = lifecycle.initialized();
		if (initializing !== undefined && name !== 'initialize') await initializing;
		if (name === 'initialize' && lifecycle.refusal(name) === undefined) {
			return lifecycle.initialize(() => runInitialize(params, token), options.prepare);
		}
		return serve(name, params, token);
	}

	async function receiveNotification(name: string, params: unknown): Promise<void> {
		if (name === 'exit') {
			options.onExit();
			return;
		}
		const initializing = lifecycle.initialized();
		if (initializing !== undefined) await initializing;
		const method = notifications.get(name);
		if (lifecycle.phase !== 'ready') scope.logger.debug(`dropped ${name}, which arrived in the wrong phase`);
		else if (method !== undefined) await runNotification(method, params, scope);
		else if (!name.startsWith('$/')) scope.logger.debug(`${name}: unknown notification`);
	}

	connection.onRequest((name, params, token) =>
		withResponseErrors(trace.traced(name, params, () => receive(name, params, token))),
	);
	connection.onNotification((name, params) =>
		trace.traced(name, params, () => receiveNotification(name, params)),
	);
}
