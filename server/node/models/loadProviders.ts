import type { AskModel } from '../../session/ports.ts';

/**
 * Returns a function that asks models of providers. Loads the providers' libraries, a separate bundle, at the first question;
 * the question rejects if they cannot be loaded.
 * @param environment variables with keys and addresses
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
