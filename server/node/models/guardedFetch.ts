/** Sends requests to providers only encrypted or to this machine, and follows no redirect to another origin. */

import { isLoopback } from '../../core/settings/rules.ts';

/** Maximum redirects of a request within its origin. */
const maxRedirects = 3;

/** Headers that contain keys. Without a key, the libraries would send empty headers. */
const keyHeaders = ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key'] as const;

function refuseUnsafe({ protocol, hostname, host }: URL): void {
	if (protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))) return;
	throw new Error(`${host} is only called over https`);
}

/** Returns the headers of a request without empty key headers. */
function removeEmptyKeys(init: RequestInit | undefined): Headers {
	const headers = new Headers(init?.headers);
	for (const name of keyHeaders) {
		const value = headers.get(name)?.trim();
		if (value === '' || value === 'Bearer') headers.delete(name);
	}
	return headers;
}

/**
 * Like `fetch`, but rejects if the address is neither https nor on this machine, or if the response redirects to another origin
 * or with another method.
 */
export const guardedFetch: typeof fetch = async (input, init) => {
	const request = input instanceof Request ? input : undefined;
	let url = new URL(request ? request.url : input instanceof URL ? input.href : String(input));
	const options: RequestInit = {
		...(request && { method: request.method, headers: request.headers, signal: request.signal }),
		...init,
		redirect: 'manual',
	};
	options.headers = removeEmptyKeys(options);
	for (let redirects = 0; ; redirects++) {
		refuseUnsafe(url);
		const response = await fetch(url.href, options);
		if (response.status < 300 || response.status > 399 || response.status === 304) return response;
		const location = response.headers.get('location');
		await response.body?.cancel();
		const next = location === null || !URL.canParse(location, url.href) ? undefined : new URL(location, url);
		const keepsMethod = response.status === 307 || response.status === 308;
		if (next?.origin !== url.origin || !keepsMethod || redirects >= maxRedirects)
			throw new Error(`${url.host} redirects to ${next?.host ?? 'nowhere'}, which is not followed`);
		url = next;
	}
};
