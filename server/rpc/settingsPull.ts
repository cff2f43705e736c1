/** Settings that the client keeps: read by `workspace/configuration`, and again whenever it reports a change. */

import * as z from 'zod/mini';
import { AnswerError } from '../core/answerError.ts';
import { configuration, initialized, registerCapability } from '../protocol/lifecycle.ts';
import { didChangeConfiguration } from '../protocol/lsp.ts';
import type { Logger } from '../session/ports.ts';
import type { ClientConnection } from './call/client.ts';
import { asks } from './call/define.ts';
import type { NotificationMethod } from './call/method.ts';
import type { CheckedInitializeParams } from './initializeParams.ts';

/** The section of the client's settings that belongs to contextd. */
const section = 'contextd';

const askConfiguration = asks(configuration, z.array(z.any()));

export interface SettingsPull {
	/** Reads what the client supports; without a call, nothing is asked. */
	initialize(params: CheckedInitializeParams): void;
	/** Asks for the settings in the background; a no-op if the client does not support that. */
	read(): void;
	/** `initialized`: registers for changes, and asks for the settings. */
	notification: NotificationMethod;
}

export interface SettingsPullOptions {
	client(): ClientConnection;
	log: Logger;
	/** Called with the client's settings; null or undefined if it has none. */
	received(settings: unknown): void;
}

/** Creates the pull. No message waits for its answers. */
export function createSettingsPull({ client, log, received }: SettingsPullOptions): SettingsPull {
	let canBeAsked = false;
	let canRegister = false;
	let pulls = 0;

	/** A client that has left needs no settings. */
	async function inBackground(method: string, work: Promise<void>): Promise<void> {
		try {
			await work;
		} catch (error) {
			const tell = error instanceof AnswerError ? log.warn : log.debug;
			tell(`${method} failed at the client: ${error instanceof Error ? error.message : String(error)}`);
		}
	}

	async function pull(): Promise<void> {
		const own = ++pulls;
		const answer = await askConfiguration(client(), { items: [{ section }] });
		// A later pull has the newer settings.
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
