/** The wire formats of providers, for whole and for streamed answers. */

import { crc32 } from 'node:zlib';
import type { ChainLink } from '../../../server/protocol/chain.ts';

/** The end of an answer. */
export type End = 'stop' | 'length' | 'refusal';

export interface Wire {
	/** The members of a link to this provider, except its address. */
	link: Omit<ChainLink, 'baseURL'>;
	/** The path in the link's address. */
	path: string;
	/** The rest of the path in a request for a whole answer. */
	wholePath: string;
	/** The rest of the path in a request for a stream. */
	streamPath: string;
	/** The header that transfers the key, and its value. */
	keyHeader: [name: string, value: string];
	/** The expected result of a refusal: its stop reason, or an empty text. */
	refused: { stopReason?: string; text?: string };
	contentType: string;
	whole(text: string, end: End): unknown;
	/** Chunks of a stream: the first contains a part of the text, the last contains the end. */
	pieces(text: string, end: End): (string | Buffer)[];
	error(message: string): unknown;
}

export const key = 'marker-key-0123456789';

function events(...all: unknown[]): string[] {
	return all.map((data) => {
		const type = (data as { type?: string }).type;
		return `${type === undefined ? '' : `event: ${type}\n`}data: ${JSON.stringify(data)}\n\n`;
	});
}

function halves(text: string): [string, string] {
	return [text.slice(0, text.length / 2), text.slice(text.length / 2)];
}

const openaiError = (message: string) => ({ error: { message, type: 'x', param: null, code: null } });

const anthropicStop = { stop: 'end_turn', length: 'max_tokens', refusal: 'refusal' } as const;

const anthropic: Wire = {
	link: { provider: 'anthropic', model: 'claude-haiku-4-5', apiKey: key },
	path: '/v1',
	wholePath: '/messages',
	streamPath: '/messages',
	keyHeader: ['x-api-key', key],
	refused: { stopReason: 'content-filter' },
	contentType: 'text/event-stream',
	whole: (text, end) => ({
		id: 'msg_1',
		type: 'message',
		role: 'assistant',
		model: 'claude-haiku-4-5',
		content: text === '' ? [] : [{ type: 'text', text }],
		stop_reason: anthropicStop[end],
		stop_sequence: null,
		usage: { input_tokens: 7, output_tokens: 3 },
	}),
	pieces: (text, end) => {
		const usage = { input_tokens: 7, output_tokens: 1 };
		const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], usage };
		const delta = (part: string) => ({
			type: 'content_block_delta',
			index: 0,
			delta: { type: 'text_delta', text: part },
		});
		const [start, first, ...rest] = events(
			{ type: 'message_start', message: { ...message, stop_reason: null, stop_sequence: null } },
			{ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
			...halves(text).map(delta),
			{ type: 'content_block_stop', index: 0 },
			{
				type: 'message_delta',
				delta: { stop_reason: anthropicStop[end], stop_sequence: null },
				usage: { output_tokens: 3 },
			},
			{ type: 'message_stop' },
		);
		return [`${start}${first}`, ...rest];
	},
	error: (message) => ({ type: 'error', error: { type: 'x', message } }),
};

const responseParts = {
	stop: { status: 'completed', incomplete_details: null },
	length: { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
	refusal: { status: 'incomplete', incomplete_details: { reason: 'content_filter' } },
} as const;

function openaiResponse(text: string, end: End) {
	const content = text === '' ? [] : [{ type: 'output_text', text, annotations: [], logprobs: [] }];
	return {
		id: 'resp_1',
		object: 'response',
		created_at: 1,
		model: 'gpt-5-nano',
		error: null,
		output: [{ type: 'message', id: 'item_1', role: 'assistant', status: 'completed', content }],
		usage: { input_tokens: 7, output_tokens: 3, total_tokens: 10 },
		...responseParts[end],
	};
}

const openai: Wire = {
	link: { provider: 'openai', model: 'gpt-5-nano', apiKey: key },
	path: '/v1',
	wholePath: '/responses',
	streamPath: '/responses',
	keyHeader: ['authorization', `Bearer ${key}`],
	refused: { stopReason: 'content-filter' },
	contentType: 'text/event-stream',
	whole: openaiResponse,
	pieces: (text, end) => {
		const item = { type: 'message', id: 'item_1', role: 'assistant', status: 'in_progress', content: [] };
		const delta = (part: string) => ({
			type: 'response.output_text.delta',
			item_id: 'item_1',
			output_index: 0,
			content_index: 0,
			delta: part,
			logprobs: [],
		});
		const [created, added, ...rest] = events(
			{ type: 'response.created', response: { ...openaiResponse('', end), status: 'in_progress' } },
			{ type: 'response.output_item.added', output_index: 0, item },
			...halves(text).map(delta),
			{ type: 'response.output_item.done', output_index: 0, item: { ...item, status: 'completed' } },
			{
				type: end === 'stop' ? 'response.completed' : 'response.incomplete',
				response: openaiResponse(text, end),
			},
		);
		return [`${created}${added}`, ...rest];
	},
	error: openaiError,
};

const chatStop = { stop: 'stop', length: 'length', refusal: 'content_filter' } as const;

function chatWire(link: Wire['link'], path: string, over: Partial<Wire> = {}): Wire {
	const head = { id: 'c_1', created: 1, model: 'm' };
	const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };
	return {
		link: { ...link, apiKey: key },
		path,
		wholePath: '/chat/completions',
		streamPath: '/chat/completions',
		keyHeader: ['authorization', `Bearer ${key}`],
		refused: { stopReason: 'content-filter' },
		contentType: 'text/event-stream',
		whole: (text, end) => ({
			...head,
			object: 'chat.completion',
			choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: chatStop[end] }],
			usage,
		}),
		pieces: (text, end) => {
			const chunk = (delta: object, finish: string | null) => ({
				...head,
				object: 'chat.completion.chunk',
				choices: [{ index: 0, delta, finish_reason: finish }],
				...(finish && { usage }),
			});
			const [first, second] = halves(text);
			return [
				...events(
					chunk({ role: 'assistant', content: first }, null),
					chunk({ content: second }, null),
					chunk({}, chatStop[end]),
				),
				'data: [DONE]\n\n',
			];
		},
		error: openaiError,
		...over,
	};
}

const googleStop = { stop: 'STOP', length: 'MAX_TOKENS', refusal: 'SAFETY' } as const;

function googlePiece(text: string, finishReason?: string) {
	return {
		candidates: [
			{ content: { role: 'model', parts: [{ text }] }, index: 0, ...(finishReason && { finishReason }) },
		],
		usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 3, totalTokenCount: 10 },
	};
}

function googleWire(link: Wire['link'], path: string): Wire {
	return {
		link,
		path,
		wholePath: `/models/${link.model}:generateContent`,
		streamPath: `/models/${link.model}:streamGenerateContent?alt=sse`,
		keyHeader: ['x-goog-api-key', key],
		refused: { stopReason: 'content-filter' },
		contentType: 'text/event-stream',
		whole: (text, end) => googlePiece(text, googleStop[end]),
		pieces: (text, end) => {
			const [first, second] = halves(text);
			return events(googlePiece(first), googlePiece(second), googlePiece('', googleStop[end]));
		},
		error: (message) => ({ error: { code: 400, message, status: 'X' } }),
	};
}

/** Encodes a message of the AWS event stream: lengths, headers and payload, with checksums. */
function awsEvent(type: string, payload: object): Buffer {
	const header = (name: string, value: string): Buffer =>
		Buffer.concat([
			Buffer.from([name.length]),
			Buffer.from(name),
			Buffer.from([7, value.length >> 8, value.length & 0xff]),
			Buffer.from(value),
		]);
	const headers = Buffer.concat([
		header(':message-type', 'event'),
		header(':event-type', type),
		header(':content-type', 'application/json'),
	]);
	const body = Buffer.from(JSON.stringify(payload));
	const prelude = Buffer.alloc(8);
	prelude.writeUInt32BE(16 + headers.length + body.length, 0);
	prelude.writeUInt32BE(headers.length, 4);
	const checksum = (bytes: Buffer): Buffer => {
		const sum = Buffer.alloc(4);
		sum.writeUInt32BE(crc32(bytes));
		return sum;
	};
	const front = Buffer.concat([prelude, checksum(prelude), headers, body]);
	return Buffer.concat([front, checksum(front)]);
}

const bedrockStop = { stop: 'end_turn', length: 'max_tokens', refusal: 'content_filtered' } as const;
const bedrockUsage = { inputTokens: 7, outputTokens: 3, totalTokens: 10 };

const bedrock: Wire = {
	link: {
		provider: 'bedrock',
		model: 'anthropic.claude-3-5-haiku-20241022-v1:0',
		region: 'eu-west-1',
		apiKey: key,
	},
	path: '',
	wholePath: '/model/anthropic.claude-3-5-haiku-20241022-v1%3A0/converse',
	streamPath: '/model/anthropic.claude-3-5-haiku-20241022-v1%3A0/converse-stream',
	keyHeader: ['authorization', `Bearer ${key}`],
	refused: { stopReason: 'content-filter' },
	contentType: 'application/vnd.amazon.eventstream',
	whole: (text, end) => ({
		output: { message: { role: 'assistant', content: [{ text }] } },
		stopReason: bedrockStop[end],
		usage: bedrockUsage,
	}),
	pieces: (text, end) => {
		const delta = (part: string) =>
			awsEvent('contentBlockDelta', { contentBlockIndex: 0, delta: { text: part } });
		return [
			Buffer.concat([awsEvent('messageStart', { role: 'assistant' }), delta(text.slice(0, text.length / 2))]),
			delta(text.slice(text.length / 2)),
			awsEvent('contentBlockStop', { contentBlockIndex: 0 }),
			Buffer.concat([
				awsEvent('messageStop', { stopReason: bedrockStop[end] }),
				awsEvent('metadata', { usage: bedrockUsage, metrics: { latencyMs: 1 } }),
			]),
		];
	},
	error: (message) => ({ message }),
};

/** Providers by their names in titles of tests. */
export const wires: Readonly<Record<string, Wire>> = {
	anthropic,
	openai,
	azure: chatWire({ provider: 'azure', model: 'my-deployment', resourceName: 'mine' }, '/openai/v1', {
		keyHeader: ['api-key', key],
	}),
	'azure of a dated version': chatWire(
		{ provider: 'azure', model: 'my-deployment', apiVersion: '2024-10-21' },
		'/openai',
		{
			keyHeader: ['api-key', key],
			wholePath: '/deployments/my-deployment/chat/completions?api-version=2024-10-21',
			streamPath: '/deployments/my-deployment/chat/completions?api-version=2024-10-21',
		},
	),
	google: googleWire({ provider: 'google', model: 'gemini-2.5-flash', apiKey: key }, '/v1beta'),
	vertex: googleWire(
		{ provider: 'vertex', model: 'gemini-2.5-flash', project: 'p', location: 'global', apiKey: key },
		'/v1beta1/projects/p/locations/global/publishers/google',
	),
	bedrock,
	mistral: chatWire({ provider: 'mistral', model: 'mistral-small-latest' }, '/v1', {
		// Mistral has no stop reason for filtered answers: such an answer is empty.
		refused: { text: '' },
	}),
	'openai-compatible': chatWire({ provider: 'openai-compatible', model: 'llama3.2' }, '/v1'),
};
