import type { AskModel } from '../../session/ports.ts';

/**
 * Asks models of providers. Their libraries, a separate bundle, are loaded at the first question.
 * Rejects if they cannot be loaded.
 * @param environment the variables that name keys and addresses
 */
export function loadProviders(environment: Readonly<Record<string, string | undefined>>): AskModel {
	let providers: Promise<AskModel> | undefined;
	return async (...question) => {
		providers ??= import('./askProvider.ts').then(({ createAskProvider }) =>
			createAskProvider(environment, Date.now),
		);
		return (await providers)(...question);
	};
}
