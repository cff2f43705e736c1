import { type Fields, isObject, tryParseJson } from '../shape.ts';

/** One object or text inside an error, which is judged as a unit. */
export interface Evidence {
	/** Names, codes and messages, one per line, truncated to a bounded length. */
	text: string;
	/** HTTP status, if stated. */
	status?: number;
	/** Values of `code`, `type`, `name` and similar fields, lowercase. */
	codes: string[];
	/** Provider that sent the error, if stated. */
	provider?: string;
	/** Fields with token figures (llama.cpp's `n_prompt_tokens`, `n_ctx`). */
	numbers: Record<string, number>;
	/** Set if the library that threw the error states that a retry cannot succeed. */
	isFinal?: true;
}

const maxEvidenceCount = 60;
const maxDepth = 8;
const maxHeadUnits = 24_000;
const maxTailUnits = 8_000;
/** Maximum length of a text that is tried as JSON, in UTF-16 units. */
const maxJsonUnits = 262_144;

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

/** Cuts out the middle of a long text, which may repeat the request. Overflow messages are at the ends. */
function truncateMiddle(text: string): string {
	return text.length <= maxHeadUnits + maxTailUnits
		? text
		: `${text.slice(0, maxHeadUnits)}\n${text.slice(-maxTailUnits)}`;
}

/** Returns the JSON value that a text is or ends with ("400 {…}"); undefined for any other text. */
function parseEmbeddedJson(text: string): unknown {
	if (text.length > maxJsonUnits) return undefined;
	const trimmed = text.trim();
	const start = trimmed.search(/[[{]/);
	if (start < 0 || !/[\]}]$/.test(trimmed)) return undefined;
	const value = tryParseJson(trimmed.slice(start))?.value;
	return isObject(value) ? value : undefined;
}

/** Reads a field of an error. If the field is a getter that throws, the field counts as absent. */
function readField(fields: Fields, name: string): unknown {
	try {
		return fields[name];
	} catch {
		return undefined;
	}
}

const leadingStatusPattern = /^\s*(?:[a-z]*error:\s*)?(?:http\s*)?(?:status(?: code)?:?\s*)?([45]\d\d)\b/i;

function readLeadingStatus(text: string): number | undefined {
	const match = leadingStatusPattern.exec(text.slice(0, 200));
	return match ? Number(match[1]) : undefined;
}

/** Returns a status given as a number or as digits; JSON-RPC and vendor codes are not statuses. */
function readStatus(value: unknown): number | undefined {
	const status = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value;
	return typeof status === 'number' && status >= 400 && status < 600 ? status : undefined;
}

function createTextEvidence(text: string): Evidence {
	const shortened = truncateMiddle(text);
	const trimmed = shortened.trim();
	const isCode = /^[A-Za-z_.]{3,80}$/.test(trimmed);
	return {
		text: shortened,
		status: readLeadingStatus(shortened),
		codes: isCode ? [trimmed.toLowerCase()] : [],
		numbers: {},
	};
}

function createObjectEvidence(value: Fields): Evidence {
	const lines: string[] = [];
	const codes: string[] = [];
	const numbers: Record<string, number> = {};
	for (const name of codeFields) {
		const field = readField(value, name);
		if (typeof field !== 'string' || field.length > 200) continue;
		codes.push(field.toLowerCase());
		lines.push(field);
	}
	for (const name of messageFields) {
		const field = readField(value, name);
		if (typeof field === 'string') lines.push(truncateMiddle(field));
	}
	for (const name of ['n_prompt_tokens', 'n_ctx']) {
		const field = readField(value, name);
		if (typeof field === 'number') numbers[name] = field;
	}
	const statedStatus = statusFields
		.map((name) => readStatus(readField(value, name)))
		.find((code) => code !== undefined);
	const status = statedStatus ?? lines.map(readLeadingStatus).find((code) => code !== undefined);
	const provider = providerFields
		.map((name) => readField(value, name))
		.find((name) => typeof name === 'string');
	return {
		text: lines.join('\n'),
		status,
		codes,
		numbers,
		provider: provider as string | undefined,
		...(readField(value, 'isRetryable') === false && { isFinal: true }),
	};
}

/**
 * Returns everything that an error states, outermost first: texts, nested objects, JSON inside texts.
 * Bounded in depth, number and length; handles cycles.
 */
export function collectEvidence(error: unknown): Evidence[] {
	const evidence: Evidence[] = [];
	const visited = new Set<unknown>();
	const queue: { value: unknown; depth: number }[] = [{ value: error, depth: 0 }];
	for (let index = 0; index < queue.length && evidence.length < maxEvidenceCount; index++) {
		const { value, depth } = queue[index]!;
		if (depth > maxDepth || visited.has(value)) continue;
		const descend = (child: unknown) => {
			if (isObject(child) || typeof child === 'string') queue.push({ value: child, depth: depth + 1 });
		};
		if (typeof value === 'string') {
			visited.add(value);
			if (depth === 0 || value.length > 0) evidence.push(createTextEvidence(value));
			descend(parseEmbeddedJson(value));
		} else if (Array.isArray(value)) {
			visited.add(value);
			for (const child of value.slice(0, maxEvidenceCount)) descend(child);
		} else if (isObject(value)) {
			visited.add(value);
			evidence.push(createObjectEvidence(value));
			for (const name of nestedFields) {
				const child = readField(value, name);
				// The object's own messages were read with its codes above. Read alone, they would lack the codes.
				descend(typeof child === 'string' && messageFields.includes(name) ? parseEmbeddedJson(child) : child);
			}
		}
	}
	return evidence;
}
