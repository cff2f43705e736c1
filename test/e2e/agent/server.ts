/** A loopback HTTP server that enforces a provider's rules and window. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createCounter } from './count.ts';
import type { createModel } from './model.ts';
import { type Fields, isFields, type Provider } from './wire.ts';

/** The refusals of the server, by reason. */
export interface Refusals {
	/** Descriptions of the rules that requests broke. */
	broken: string[];
	overflows: { actual: number; room: number }[];
	rateLimits: number;
}

export interface LoopbackServer {
	url: string;
	refusals: Refusals;
	/** Returns the tokens of the largest prompt that was accepted. */
	largest(): number;
	close(): Promise<void>;
}

/** Starts a provider on a free port of the loopback interface. `window` is in the provider's own tokens. */
export async function startServer(
	provider: Provider,
	model: ReturnType<typeof createModel>,
	window: number,
): Promise<LoopbackServer> {
	const endpoint = provider.endpoint();
	const refusals: Refusals = { broken: [], overflows: [], rateLimits: 0 };
	const count = createCounter();
	let largest = 0;
	const tokensOf = (value: unknown): number => Math.ceil(count(value) * provider.scale);

	function reply(body: Fields): { status: number; body: unknown } {
		const broken = endpoint.findBrokenRule(body);
		if (broken !== undefined) {
			refusals.broken.push(broken);
			return { status: 400, body: endpoint.refusal(broken) };
		}
		const maxOutputTokens = endpoint.maxOutputOf(body);
		const input = tokensOf(body) + provider.hidden;
		const room = endpoint.computePromptLimit(window, maxOutputTokens);
		if (input > room) {
			refusals.overflows.push({ actual: input, room });
			return { status: 400, body: endpoint.overflow(input, window, maxOutputTokens) };
		}
		const turn = model(maxOutputTokens);
		if ('isBusy' in turn) {
			refusals.rateLimits++;
			return endpoint.rateLimit;
		}
		largest = Math.max(largest, input);
		const output = tokensOf(turn.say);
		return { status: 200, body: endpoint.answer(turn.say, { input, output }) };
	}

	const server = createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on('data', (chunk: Buffer) => chunks.push(chunk));
		request.on('end', () => {
			const parsed: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
			const { status, body } = reply(isFields(parsed) ? parsed : {});
			response.writeHead(status, { 'content-type': 'application/json' });
			response.end(JSON.stringify(body));
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${port}/`,
		refusals,
		largest: () => largest,
		close() {
			server.closeAllConnections();
			return new Promise((resolve) => server.close(() => resolve()));
		},
	};
}
