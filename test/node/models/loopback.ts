/** A server on this machine that answers like a provider. */

import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface LoopbackRequest {
	method: string | undefined;
	url: string | undefined;
	headers: IncomingHttpHeaders;
	body: string;
}

export interface Loopback {
	origin: string;
	requests: LoopbackRequest[];
	/** The number of connections that the client ended before they were answered. */
	countAbandoned(): number;
	end(): Promise<void>;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
	const pieces: Buffer[] = [];
	for await (const piece of request) pieces.push(piece as Buffer);
	return Buffer.concat(pieces).toString();
}

/** Starts a server that ends with the test. */
export async function loopback(
	answer: (response: ServerResponse, request: LoopbackRequest) => void | Promise<void>,
): Promise<Loopback> {
	const requests: LoopbackRequest[] = [];
	let abandonedCount = 0;
	const server = createServer(async (request, response) => {
		response.on('close', () => {
			if (!response.writableFinished) abandonedCount++;
		});
		const { method, url, headers } = request;
		const one = { method, url, headers, body: await bodyOf(request) };
		requests.push(one);
		await answer(response, one);
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const address = server.address() as AddressInfo;
	const end = async (): Promise<void> => {
		server.closeAllConnections();
		if (!server.listening) return;
		const closed = once(server, 'close');
		server.close();
		await closed;
	};
	onTestFinished(end);
	return {
		origin: `http://127.0.0.1:${address.port}`,
		requests,
		countAbandoned: () => abandonedCount,
		end,
	};
}

/** Answers with JSON. */
export function json(
	response: ServerResponse,
	value: unknown,
	status = 200,
	headers: Record<string, string> = {},
): void {
	response.writeHead(status, { 'content-type': 'application/json', ...headers });
	response.end(JSON.stringify(value));
}

/** Sends pieces one by one, and leaves the answer open. */
export async function pieces(
	response: ServerResponse,
	contentType: string,
	all: readonly (string | Buffer)[],
): Promise<void> {
	response.writeHead(200, { 'content-type': contentType });
	for (const piece of all) {
		response.write(piece);
		await new Promise((done) => setImmediate(done));
	}
}
