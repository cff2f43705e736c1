/** Requests to providers: encrypted or on this machine, and never led on to somebody else. */

import { isLoopback } from '../../core/settings/chain.ts';

/** As often as this a request is led on within its origin. */
const mostRedirects = 3;

/** Headers that hold keys: where there is none, the libraries would send them empty. */
const keyHeaders = ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key'] as const;

function refuseUnsafe({ protocol, hostname, host }: URL): void {
	if (protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))) return;
	throw new Error(`${host} is asked by https alone`);
}

/** The headers of a request, without those of a key that is none. */
function headersOf(init: RequestInit | undefined): Headers {
	const headers = new Headers(init?.headers);
	for (const name of keyHeaders) {
		const value = headers.get(name)?.trim();
		if (value === '' || value === 'Bearer') headers.delete(name);
	}
	return headers;
}

/**
 * As `fetch`. Rejects where an address is neither https nor on this machine, and where the other side leads on to
 * another origin, or to a request of another kind.
 */
export const guardedFetch: typeof fetch = async (input, init) => {
	const request = input instanceof Request ? input : undefined;
	let url = new URL(request ? request.url : input instanceof URL ? input.href : String(input));
	const options: RequestInit = {
		...(request && { method: request.method, headers: request.headers, signal: request.signal }),
		...init,
		redirect: 'manual',
	};
	options.headers = headersOf(options);
	for (let led = 0; ; led++) {
		refuseUnsafe(url);
		const response = await fetch(url.href, options);
		if (response.status < 300 || response.status > 399 || response.status === 304) return response;
		const location = response.headers.get('location');
		await response.body?.cancel();
		const next = location === null || !URL.canParse(location, url.href) ? undefined : new URL(location, url);
		const keepsKind = response.status === 307 || response.status === 308;
		if (next?.origin !== url.origin || !keepsKind || led >= mostRedirects) {
			throw new Error(`${url.host} leads on to ${next?.host ?? 'nowhere'}, which is not followed`);
		}
		url = next;
	}
};
