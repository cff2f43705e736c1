import { describe, expect, it } from 'vitest';
import { guardedFetch } from '../../../server/node/models/guardedFetch.ts';
import { json, loopback } from './loopback.ts';

const post = { method: 'POST', body: '{"a":1}', headers: { authorization: 'Bearer secret' } };

describe('a request to a provider', () => {
	it('a request to a provider does not follow a redirect to another origin', async () => {
		const other = await loopback((response) => json(response, {}));
		const server = await loopback((response) => {
			response.writeHead(307, { location: `${other.origin}/v1` }).end();
		});
		await expect(guardedFetch(`${server.origin}/v1`, post)).rejects.toThrow('not followed');
		expect(other.requests).toEqual([]);
	});

	it('a request to a provider follows a redirect within its origin, unchanged', async () => {
		const server = await loopback((response, { url }) => {
			if (url === '/v2') json(response, { ok: true });
			else response.writeHead(308, { location: '/v2' }).end();
		});
		const response = await guardedFetch(`${server.origin}/v1`, post);
		expect(await response.json()).toEqual({ ok: true });
		expect(server.requests[1]).toMatchObject({ method: 'POST', body: post.body, headers: post.headers });
	});

	it('a request to a provider follows no redirect that changes its method, and no loop', async () => {
		const changing = await loopback((response) => void response.writeHead(302, { location: '/v2' }).end());
		await expect(guardedFetch(`${changing.origin}/v1`, post)).rejects.toThrow('not followed');
		const circle = await loopback((response) => void response.writeHead(307, { location: '/v1' }).end());
		await expect(guardedFetch(`${circle.origin}/v1`, post)).rejects.toThrow('not followed');
		expect(circle.requests.length).toBeLessThan(6);
	});

	it('a request to a provider uses plain http only to this machine', async () => {
		await expect(guardedFetch('http://models.example/v1', post)).rejects.toThrow('only called over https');
		await expect(guardedFetch('http://127.0.0.1.example/v1', post)).rejects.toThrow('only called over https');
	});
});
