/**
 * Asks the client for its stored settings, by `workspace/configuration`, and again after each change that the client
 * reports.
 */

import * as z from 'zod/mini';
import { AnswerError, errorText } from '../core/failure.ts';
import { configuration, initialized, registerCapability } from '../protocol/lifecycle.ts';
import { didChangeConfiguration } from '../protocol/lsp.ts';
import type { Logger } from '../session/ports.ts';
import type { ConnectedClient } from './call/client.ts';
import { type NotificationMethod, requestClient } from './call/define.ts';
import type { CheckedInitializeParams } from './initializeParams.ts';

/** The section of the client's settings that belongs to contextd. */
const section = 'contextd';

const askConfiguration = requestClient(configuration, z.array(z.any()));

export interface SettingsPullerOptions {
	getClient(): ConnectedClient;
	log: Logger;
	/** Receives the client's settings; null or undefined if there are none. */
	apply(settings: unknown): void;
}

/** Requests the settings of one client. */
export type SettingsPuller = ReturnType<typeof createSettingsPuller>;

/** Returns an object that requests the client's settings. Other messages do not wait for the client's answers. */
export function createSettingsPuller({ getClient, log, apply }: SettingsPullerOptions) {
	let canBeAsked = false;
	let canRegister = false;
	let pullCount = 0;

	/** Waits for the client's answer and logs an error; if the client has disconnected, only at debug level. */
	async function runInBackground(method: string, task: Promise<void>): Promise<void> {
		try {
			await task;
		} catch (error) {
			const logAt = error instanceof AnswerError ? log.warn : log.debug;
			logAt(`${method} failed at the client: ${errorText(error)}`);
		}
	}

	async function pull(): Promise<void> {
		const pullNumber = ++pullCount;
		const answer = await askConfiguration(getClient(), { items: [{ section }] });
		// A later request gets the newer settings.
		if (pullNumber !== pullCount) return;
		if (answer.problem === undefined) apply(answer.value[0]);
		else log.warn(`${configuration.method}: ${answer.problem}`);
	}

	async function register(): Promise<void> {
		const id = 'contextd-settings';
		const registration = { id, method: didChangeConfiguration.method, registerOptions: { section } };
		await getClient().request(registerCapability.method, { registrations: [registration] });
	}

	/** Asks for the settings in the background; a no-op if the client does not support it. */
	function pullInBackground(): void {
		if (canBeAsked) void runInBackground(configuration.method, pull());
	}

	/** Handler of `initialized`: registers for changes and asks for the settings. */
	const initializedMethod: NotificationMethod = {
		method: initialized.method,
		handle() {
			if (canRegister) void runInBackground(registerCapability.method, register());
			pullInBackground();
		},
	};

	return {
		/** Reads the client's capabilities. Until then, no settings are requested. */
		initialize({ capabilities }: CheckedInitializeParams): void {
			canBeAsked = capabilities?.workspace?.configuration ?? false;
			canRegister = capabilities?.workspace?.didChangeConfiguration?.dynamicRegistration ?? false;
		},
		pullInBackground,
		initializedMethod,
	};
}
