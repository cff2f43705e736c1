/** Obtains tokens for Vertex, with a service account or the machine's account. */

import { readFile } from 'node:fs/promises';
import { GoogleAuth, gaxios } from 'google-auth-library';
import { guardedFetch } from './guardedFetch.ts';

/** The address at which the library requests tokens, whatever the account says. */
const libraryEndpoint = 'https://oauth2.googleapis.com/token';

const scopes = ['https://www.googleapis.com/auth/cloud-platform'];

interface Account {
	type?: string;
	token_uri?: string;
}

/** Whether a key is a Google account as JSON or the path of such a file, rather than an API key. */
export function isGoogleAccount(key: string): boolean {
	return key.trimStart().startsWith('{') || key.endsWith('.json');
}

async function readAccount(key: string): Promise<Account> {
	const text = key.trimStart().startsWith('{') ? key : await readFile(key, 'utf8');
	const account: unknown = JSON.parse(text);
	if (typeof account !== 'object' || account === null) throw new Error('not an account of Google');
	return account;
}

/** Creates a `fetch` that requests tokens at the account's own endpoint, if the account has one. */
function createTokenFetch(endpoint: string | undefined): typeof fetch {
	return (input, init) => {
		const url = input instanceof Request ? input.url : String(input);
		return guardedFetch(endpoint !== undefined && url === libraryEndpoint ? endpoint : input, init);
	};
}

/**
 * Returns a function that obtains tokens.
 *
 * @param key an account as JSON, or the path of such a file; if absent, the machine's account is used
 */
export function createTokenSource(key: string | undefined): () => Promise<string> {
	let auth: Promise<GoogleAuth> | undefined;
	const openAuth = async (): Promise<GoogleAuth> => {
		const account = key === undefined ? undefined : await readAccount(key);
		const transporter = new gaxios.Gaxios({
			fetchImplementation: createTokenFetch(account?.token_uri),
			retry: false,
		});
		return new GoogleAuth({
			scopes,
			clientOptions: { transporter },
			...(account && { credentials: account }),
		});
	};
	return async () => {
		auth ??= openAuth();
		const token = await (await auth).getAccessToken();
		if (!token) throw new Error('the Google account returned no token');
		return token;
	};
}
