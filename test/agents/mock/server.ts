/** A provider of models on loopback, which does what a test says and writes down what it was asked. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { type Answer, streamedAnswer, wholeAnswer } from './answer.ts';
import { createPrefixCache } from './prefixCache.ts';
import {
	type CountTokens,
	type Dialect,
	dialectOf,
	type Fields,
	type ModelRequest,
	readingCall,
	readRequest,
} from './request.ts';

/** A request, and what was answered. */
export interface Exchange {
	request: ModelRequest;
	answer: Answer;
}

/** What a model is to say, where a test says so. */
export type Said = Partial<Pick<Answer, 'text' | 'thinking' | 'calls'>> & {
	/** Tokens that the provider reports for the prompt; what it counts where absent. */
	reports?: number;
};

/** Returns with which status and words a request is refused; undefined if it is answered. */
export type RefusalRule = (request: ModelRequest) => { status: number; message: string } | undefined;

/** What a mock does beside answering. */
export interface MockOptions {
	/** Tokens beyond which a prompt is refused, as providers do. */
	window?: number;
	/** Whether it tells what was read from a cache; otherwise it has none. */
	hasCache?: boolean;
	/** How it counts prompts; a token for every four characters if absent. */
	countTokens?: CountTokens;
}

/** A provider of models. */
export interface MockProvider {
	/** Where it listens; any path below will do. */
	url: string;
	/** All that was answered so far, oldest first. */
	exchanges: readonly Exchange[];
	/** All that was refused so far, oldest first. */
	refused: readonly ModelRequest[];
	/** Refuses the next request of a session as one that is too long for a smaller window, or in these words. */
	refuseNext(why: number | string): void;
	/** Refuses all requests of sessions in these words, which tell of no size; none any more where there are none. */
	refuseAll(words: string | undefined): void;
	/** Asks a rule about each request of a session that nothing else refuses; none if there is no rule. */
	refuseBy(rule: RefusalRule | undefined): void;
	/** Takes prompts of so many tokens from now on, and refuses longer ones. */
	allow(tokens: number): void;
	/** Has the model say this, a request each, before anything that is planned. */
	script(steps: readonly Said[]): void;
	/** Has the model read these files, one a request or those of a list at once, before it ends its turn with a sentence. */
	plan(files: readonly (string | readonly string[])[]): void;
	close(): Promise<void>;
}

const sentence = 'All of it was read, and nothing is left to do.';
const summary = [
	'<state_snapshot><overall_goal>Read the documents.</overall_goal></state_snapshot>',
	'<analysis>The documents were read one by one.</analysis>',
	'<summary>The user asked to read documents. They were read, and the reading goes on.</summary>',
].join('\n');

/**
 * Starts a provider on a free port of the loopback interface.
 * @param before is told of every request, which is not answered until it is done
 */
export async function startMock(
	before: (request: ModelRequest) => Promise<void> = async () => {},
	{ window: first = Number.POSITIVE_INFINITY, hasCache = false, countTokens }: MockOptions = {},
): Promise<MockProvider> {
	const exchanges: Exchange[] = [];
	const refused: ModelRequest[] = [];
	const cache = hasCache ? createPrefixCache() : undefined;
	let waiting: (string | readonly string[])[] = [];
	let script: Said[] = [];
	let window = first;
	let nextRefusal: number | string | undefined;
	let objection: string | undefined;
	let refusalRule: RefusalRule | undefined;

	/** Why a request is refused; undefined where it is not. */
	function whyRefused({ kind, tokens }: ModelRequest): string | undefined {
		if (kind === 'main' && objection !== undefined) return objection;
		const once = kind === 'main' ? nextRefusal : undefined;
		if (once !== undefined) nextRefusal = undefined;
		if (typeof once === 'string') return once;
		const limit = once ?? (tokens > window ? window : undefined);
		return limit === undefined ? undefined : `prompt is too long: ${tokens} tokens > ${limit} maximum`;
	}

	function answerTo(request: ModelRequest): Answer {
		const base = { id: String(exchanges.length + 1), model: request.model };
		const cached = cache?.read(request);
		const said = (text: string): Answer => ({
			...base,
			text,
			calls: [],
			usage: { input: request.tokens, output: Math.ceil(text.length / 4), cached },
		});
		if (request.kind === 'compaction') return said(summary);
		if (request.kind === 'aside') return said('Please read the documents');
		const own = script.shift();
		if (own !== undefined) {
			const { reports = request.tokens, ...words } = own;
			const output = Math.ceil(JSON.stringify(words).length / 4);
			return { ...base, calls: [], ...words, usage: { input: reports, output } };
		}
		const [files = [], ...rest] = waiting;
		const calls = [files].flat().flatMap((file) => readingCall(request.tools, file) ?? []);
		if (calls.length === 0) return said(sentence);
		waiting = rest;
		const output = Math.ceil(JSON.stringify(calls).length / 4);
		return { ...base, calls, usage: { input: request.tokens, output, cached } };
	}

	async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
		const { pathname: path } = new URL(incoming.url ?? '/', 'http://127.0.0.1');
		const dialect = incoming.method === 'POST' ? dialectOf(path) : undefined;
		if (dialect === undefined) {
			incoming.resume();
			const isCount = path.endsWith('/count_tokens') || path.endsWith(':countTokens');
			reply(outgoing, isCount ? { input_tokens: 1000, totalTokens: 1000 } : { data: [], models: [] });
			return;
		}
		const request = readRequest(dialect, path, (await json(incoming)) as Fields, countTokens);
		await before(request);
		const words = whyRefused(request);
		const byRule = request.kind === 'main' ? refusalRule?.(request) : undefined;
		const found = words === undefined ? byRule : { status: 400, message: words };
		if (found !== undefined) {
			const { status, message } = found;
			refused.push(request);
			outgoing.writeHead(status, { 'content-type': 'application/json' });
			outgoing.end(JSON.stringify(refusal(dialect, message)));
			return;
		}
		const answer = answerTo(request);
		exchanges.push({ request, answer });
		if (!request.isStream) return reply(outgoing, wholeAnswer(dialect, answer));
		outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
		outgoing.end(streamedAnswer(dialect, answer));
	}

	const server = createServer((incoming, outgoing) => {
		serve(incoming, outgoing).catch((error: unknown) => {
			outgoing.writeHead(400);
			outgoing.end(String(error));
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${port}`,
		exchanges,
		refused,
		allow(tokens) {
			window = tokens;
		},
		script(steps) {
			script = [...steps];
		},
		refuseBy(rule) {
			refusalRule = rule;
		},
		refuseAll(words) {
			objection = words;
		},
		refuseNext(why) {
			nextRefusal = why;
		},
		plan(files) {
			waiting = [...files];
		},
		async close() {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

/** How providers say that a prompt is too long. */
function refusal(dialect: Dialect, message: string): object {
	if (dialect === 'anthropic') return { type: 'error', error: { type: 'invalid_request_error', message } };
	return { error: { type: 'invalid_request_error', code: 'context_length_exceeded', message } };
}

function reply(outgoing: ServerResponse, body: unknown): void {
	outgoing.writeHead(200, { 'content-type': 'application/json' });
	outgoing.end(JSON.stringify(body));
}
