/** Reads settings that the client stores, by `workspace/configuration`, again after each change it reports. */

import * as z from 'zod/mini';
import { AnswerError } from '../core/answerError.ts';
import { errorText } from '../core/failure.ts';
import { configuration, initialized, registerCapability } from '../protocol/lifecycle.ts';
import { didChangeConfiguration } from '../protocol/lsp.ts';
import type { Logger } from '../session/ports.ts';
import type { ConnectedClient } from './call/client.ts';
import { requestClient } from './call/define.ts';
import type { NotificationMethod } from './call/method.ts';
import type { CheckedInitializeParams } from './initializeParams.ts';

/** The section of the client's settings that belongs to contextd. */
const section = 'contextd';

const askConfiguration = requestClient(configuration, z.array(z.any()));

export interface SettingsPull {
	/** Reads the client's capabilities; the client is not asked before. */
	initialize(params: CheckedInitializeParams): void;
	/** Asks for the settings in the background; a no-op if the client does not support it. */
	read(): void;
	/** `initialized`: registers for changes and asks for the settings. */
	notification: NotificationMethod;
}

export interface SettingsPullOptions {
	client(): ConnectedClient;
	log: Logger;
	/** Called with the client's settings; null or undefined if there are none. */
	received(settings: unknown): void;
}

/** Creates the pull. Messages do not wait for its answers. */
export function createSettingsPull({ client, log, received }: SettingsPullOptions): SettingsPull {
	let canBeAsked = false;
	let canRegister = false;
	let pulls = 0;

	/** Logs errors; for a client that has disconnected, only at debug level. */
	async function inBackground(method: string, work: Promise<void>): Promise<void> {
		try {
			await work;
		} catch (error) {
			const logAt = error instanceof AnswerError ? log.warn : log.debug;
			logAt(`${method} failed at the client: ${errorText(error)}`);
		}
	}

	async function pull(): Promise<void> {
		const own = ++pulls;
		const answer = await askConfiguration(client(), { items: [{ section }] });
		// A later pull returns the newer settings.
		if (own !== pulls) return;
		if (answer.problem === undefined) received(answer.value[0]);
		else log.warn(`${configuration.method}: ${answer.problem}`);
	}

	async function register(): Promise<void> {
		const id = 'contextd-settings';
		const registration = { id, method: didChangeConfiguration.method, registerOptions: { section } };
		await client().request(registerCapability.method, { registrations: [registration] });
	}

	function read(): void {
		if (canBeAsked) void inBackground(configuration.method, pull());
	}

	return {
		initialize({ capabilities }) {
			canBeAsked = capabilities?.workspace?.configuration ?? false;
			canRegister = capabilities?.workspace?.didChangeConfiguration?.dynamicRegistration ?? false;
		},
		read,
		notification: {
			method: initialized.method,
			handle() {
				if (canRegister) void inBackground(registerCapability.method, register());
				read();
			},
		},
	};
}
