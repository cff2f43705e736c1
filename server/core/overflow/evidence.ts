/** One object or text of an error: what stands together in it is judged together. */
export interface Evidence {
	/** Names, codes and messages, one a line, cut to a bounded length. */
	text: string;
	/** HTTP status, where one is told. */
	status?: number;
	/** Values of `code`, `type`, `name` and the like, in small letters. */
	codes: string[];
	/** Who sent it, where the error says so. */
	provider?: string;
	/** Fields that hold token figures (llama.cpp's `n_prompt_tokens`, `n_ctx`). */
	numbers: Record<string, number>;
	/** Whoever made the error knows that the same request cannot pass later. */
	isFinal?: true;
}

import { parsedJson } from '../shape.ts';

type Fields = Record<string, unknown>;

const maxNodes = 60;
const maxDepth = 8;
const mostHead = 24_000;
const mostTail = 8_000;
/** UTF-16 units up to which a text is tried as JSON. */
const maxJson = 262_144;

const nestedFields =
	'error cause response data body responseBody errors lastError reason detail details metadata raw msg errorMessage innererror innerError originalError message value'.split(
		' ',
	);
const codeFields = 'code type name __type status errorCode reason stop_reason finish_reason kind'.split(' ');
const messageFields = 'message msg detail errorMessage error_description statusText description raw'.split(
	' ',
);
const statusFields = ['status', 'statusCode', 'status_code', 'httpStatus', 'code'];
const providerFields = ['provider', 'providerID', 'providerId', 'provider_name', 'llm_provider'];

function isObject(value: unknown): value is Fields {
	return typeof value === 'object' && value !== null;
}

/** Overflow messages stand at the start or the end of what a server says; what lies between may be an echo. */
function bounded(text: string): string {
	return text.length <= mostHead + mostTail ? text : `${text.slice(0, mostHead)}\n${text.slice(-mostTail)}`;
}

/** The JSON value that a text is or ends in ("400 {…}"), or undefined. */
function embeddedJson(text: string): unknown {
	if (text.length > maxJson) return undefined;
	const trimmed = text.trim();
	const start = trimmed.search(/[[{]/);
	if (start < 0 || !/[\]}]$/.test(trimmed)) return undefined;
	const value = parsedJson(trimmed.slice(start))?.value;
	return isObject(value) ? value : undefined;
}

/** An error may throw from a getter; what cannot be read says nothing. */
function read(from: Fields, name: string): unknown {
	try {
		return from[name];
	} catch {
		return undefined;
	}
}

const leadingStatus = /^\s*(?:[a-z]*error:\s*)?(?:http\s*)?(?:status(?: code)?:?\s*)?([45]\d\d)\b/i;

function statusOf(text: string): number | undefined {
	const match = leadingStatus.exec(text.slice(0, 200));
	return match ? Number(match[1]) : undefined;
}

/** A status given as a number or as its digits; a JSON-RPC or vendor code is none. */
function statusIn(value: unknown): number | undefined {
	const status = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value;
	return typeof status === 'number' && status >= 400 && status < 600 ? status : undefined;
}

function ofText(text: string): Evidence {
	const short = bounded(text);
	const trimmed = short.trim();
	const isCode = /^[A-Za-z_.]{3,80}$/.test(trimmed);
	return { text: short, status: statusOf(short), codes: isCode ? [trimmed.toLowerCase()] : [], numbers: {} };
}

function ofObject(value: Fields): Evidence {
	const lines: string[] = [];
	const codes: string[] = [];
	const numbers: Record<string, number> = {};
	for (const name of codeFields) {
		const field = read(value, name);
		if (typeof field !== 'string' || field.length > 200) continue;
		codes.push(field.toLowerCase());
		lines.push(field);
	}
	for (const name of messageFields) {
		const field = read(value, name);
		if (typeof field === 'string') lines.push(bounded(field));
	}
	for (const name of ['n_prompt_tokens', 'n_ctx']) {
		const field = read(value, name);
		if (typeof field === 'number') numbers[name] = field;
	}
	const stated = statusFields.map((name) => statusIn(read(value, name))).find((code) => code !== undefined);
	const status = stated ?? lines.map(statusOf).find((code) => code !== undefined);
	const provider = providerFields.map((name) => read(value, name)).find((name) => typeof name === 'string');
	return {
		text: lines.join('\n'),
		status,
		codes,
		numbers,
		provider: provider as string | undefined,
		...(read(value, 'isRetryable') === false && { isFinal: true }),
	};
}

/**
 * All that an error says, outermost first: texts, the objects nested in it, JSON inside its texts. Bounded in
 * depth, in number and in length; cycles end.
 */
export function evidenceOf(error: unknown): Evidence[] {
	const found: Evidence[] = [];
	const seen = new Set<unknown>();
	const queue: { value: unknown; depth: number }[] = [{ value: error, depth: 0 }];
	for (let index = 0; index < queue.length && found.length < maxNodes; index++) {
		const { value, depth } = queue[index]!;
		if (depth > maxDepth || seen.has(value)) continue;
		const descend = (inner: unknown) => {
			if (isObject(inner) || typeof inner === 'string') queue.push({ value: inner, depth: depth + 1 });
		};
		if (typeof value === 'string') {
			seen.add(value);
			if (depth === 0 || value.length > 0) found.push(ofText(value));
			descend(embeddedJson(value));
		} else if (Array.isArray(value)) {
			seen.add(value);
			for (const inner of value.slice(0, maxNodes)) descend(inner);
		} else if (isObject(value)) {
			seen.add(value);
			found.push(ofObject(value));
			for (const name of nestedFields) {
				const inner = read(value, name);
				// The object's own words were taken with it: alone they would lose the code beside them.
				descend(typeof inner === 'string' && messageFields.includes(name) ? embeddedJson(inner) : inner);
			}
		}
	}
	return found;
}
