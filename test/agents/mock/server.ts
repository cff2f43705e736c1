/** A provider of models on loopback, which answers by a script and records the requests. */

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

/** A request and its answer. */
export interface Exchange {
	request: ModelRequest;
	answer: Answer;
}

/** An answer that the test prescribes. */
export type ScriptedAnswer = Partial<Pick<Answer, 'text' | 'thinking' | 'calls'>> & {
	/** Tokens that the provider reports for the prompt; by default the tokens that it counts. */
	reports?: number;
};

/** Returns status and message with which a request is refused; undefined if it is answered. */
export type RefusalRule = (request: ModelRequest) => { status: number; message: string } | undefined;

/** The window, cache and counter of a mock. */
export interface MockOptions {
	/** Tokens above which a prompt is refused. */
	window?: number;
	/** Whether the provider caches prompts and reports cached tokens. */
	hasCache?: boolean;
	/** Counts the tokens of prompts; a token per four characters by default. */
	countTokens?: CountTokens;
	/** Minimum length of an agent's summary in tokens; by default a summary has two sentences. */
	summaryTokens?: number;
}

/** A provider of models. */
export interface MockProvider {
	/** The provider's address; every path below works. */
	url: string;
	/** All answered requests, oldest first. */
	exchanges: readonly Exchange[];
	/** All refused requests, oldest first. */
	refused: readonly ModelRequest[];
	/** Refuses the next request of a session: as too long for a window of `why` tokens, or with the message `why`. */
	refuseNext(why: number | string): void;
	/** Refuses all requests of sessions with this message, which should name no size; undefined stops the refusals. */
	refuseAll(words: string | undefined): void;
	/** Applies a rule to each request of a session that is not refused for another reason; undefined removes the rule. */
	refuseBy(rule: RefusalRule | undefined): void;
	/** Moves the clock of the provider's cache by `ms`; otherwise this clock stands still. */
	pause(ms: number): void;
	/** Accepts prompts of up to this number of tokens from now on. */
	allow(tokens: number): void;
	/** Lets the model give these answers, one per request, before it continues with `plan`. */
	script(steps: readonly ScriptedAnswer[]): void;
	/** Lets the model read these files, one per request or a list at once, and then end its turn with a sentence. */
	plan(files: readonly (string | readonly string[])[]): void;
	close(): Promise<void>;
}

const sentence = 'All of it was read, and nothing is left to do.';
const summary = [
	'<state_snapshot><overall_goal>Read the documents.</overall_goal></state_snapshot>',
	'<analysis>The documents were read one by one.</analysis>',
	'<summary>The user asked to read documents. They were read, and the reading goes on.</summary>',
].join('\n');

/** Returns a summary of at least this number of tokens. */
function summaryOf(tokens: number): string {
	let details = '';
	for (let line = 1; summary.length + details.length < 4 * tokens; line++) {
		details += `- Section ${line} of the documents was read and describes queue ${line * 7919}.\n`;
	}
	return summary.replace('</summary>', `${details}</summary>`);
}

/**
 * Starts a provider on a free port of the loopback interface.
 * @param before called with every request; the answer waits for its promise
 */
export async function startMock(
	before: (request: ModelRequest) => Promise<void> = async () => {},
	{
		window: first = Number.POSITIVE_INFINITY,
		hasCache = false,
		countTokens,
		summaryTokens = 0,
	}: MockOptions = {},
): Promise<MockProvider> {
	const exchanges: Exchange[] = [];
	const refused: ModelRequest[] = [];
	let pausedMs = 0;
	const cache = hasCache ? createPrefixCache(() => pausedMs) : undefined;
	let waiting: (string | readonly string[])[] = [];
	let script: ScriptedAnswer[] = [];
	let window = first;
	let nextRefusal: number | string | undefined;
	let objection: string | undefined;
	let refusalRule: RefusalRule | undefined;

	/** Returns why a request is refused; undefined if it is accepted. */
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
		if (request.kind === 'compaction') return said(summaryOf(summaryTokens));
		if (request.kind === 'aside') return said('Please read the documents');
		const own = script.shift();
		if (own !== undefined) {
			const { reports = request.tokens, ...words } = own;
			const output = Math.ceil(JSON.stringify(words).length / 4);
			return {
				...base,
				calls: [],
				...words,
				usage: { input: reports, output, cached: cached && Math.min(cached, reports) },
			};
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
		pause(ms) {
			pausedMs += ms;
		},
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

/** Returns a provider's error for a prompt that is too long. */
function refusal(dialect: Dialect, message: string): object {
	if (dialect === 'anthropic') return { type: 'error', error: { type: 'invalid_request_error', message } };
	return { error: { type: 'invalid_request_error', code: 'context_length_exceeded', message } };
}

function reply(outgoing: ServerResponse, body: unknown): void {
	outgoing.writeHead(200, { 'content-type': 'application/json' });
	outgoing.end(JSON.stringify(body));
}
