import { ErrorCodes, ResponseError } from 'vscode-jsonrpc/node';
import { sessionAppend, sessionOpen } from '../protocol/session.ts';
import type { Daemon } from './daemon.ts';
import type { Fields, ReadValue } from './input/message.ts';
import type { Source } from './input/source.ts';
import { readValues } from './input/values.ts';
import { createLabels, type Labels } from './labels.ts';

/** Which model the history is meant for, as far as the user says. */
export interface ModelChoice {
	provider?: string;
	model?: string;
}

/** A session that holds the messages of an input. */
export interface LoadedSession {
	sessionId: string;
	messageCount: number;
	labels: Labels;
	/** Whether the user or the input named the model; otherwise it is the daemon's default. */
	modelFrom: 'arguments' | 'input' | 'default';
}

/** How far the reading of an input is. */
export interface LoadProgress {
	/** Bytes. */
	read: number;
	/** Bytes, where it is known. */
	size?: number;
	messages: number;
}

/** Messages, and UTF-16 units of them, that one request carries at most, unless a single message has more. */
const BATCH = { messages: 500, size: 4 * 1024 * 1024 };

interface Batch {
	messages: ReadValue[];
	/** UTF-16 units of their texts. */
	size: number;
}

function emptyBatch(): Batch {
	return { messages: [], size: 0 };
}

function textField(fields: Fields | undefined, name: string): string | undefined {
	const value = fields?.[name];
	return typeof value === 'string' && value !== '' ? value : undefined;
}

function modelOf(chosen: ModelChoice, header: Fields | undefined) {
	if (chosen.provider !== undefined || chosen.model !== undefined) {
		return { provider: chosen.provider, model: chosen.model, from: 'arguments' } as const;
	}
	const provider = textField(header, 'provider');
	const model = textField(header, 'model');
	const isNamed = provider !== undefined || model !== undefined;
	return { provider, model, from: isNamed ? 'input' : 'default' } as const;
}

/** The daemon's refusal of a batch, with the line of the message that it is about. */
function refusal(error: unknown, batch: Batch, source: Source): unknown {
	if (!(error instanceof ResponseError) || error.code !== ErrorCodes.InvalidParams) return error;
	const [, index, problem] = /^(?:params\.)?messages\[(\d+)\]\.?(.*)$/s.exec(error.message) ?? [];
	const line = index === undefined ? undefined : batch.messages[Number(index)]?.line;
	return source.complain(problem ?? error.message, line);
}

function nothingRead(source: Source, headers: number): Error {
	if (headers === 0) return source.complain('expected messages, but the input is empty');
	return source.complain(
		`expected messages, but none of its ${headers === 1 ? 'objects' : `${headers} objects`} has a role`,
	);
}

/** Counts the bytes that went by. */
async function* counted(chunks: AsyncIterable<Buffer>, each: (bytes: number) => void) {
	for await (const chunk of chunks) {
		each(chunk.length);
		yield chunk;
	}
}

/** Takes messages one by one and sends them in batches, one on its way at most while the next one fills. */
function createSender(daemon: Daemon, source: Source, open: () => Promise<string>, labels: Labels) {
	let sessionId: string | undefined;
	let batch = emptyBatch();
	let onItsWay: Promise<void> = Promise.resolve();

	async function append(id: string, full: Batch): Promise<void> {
		try {
			const messages = full.messages.map(({ fields }) => fields);
			const { messageIds } = await daemon.request(sessionAppend, { sessionId: id, messages });
			for (const [index, messageId] of messageIds.entries()) labels.add(messageId, full.messages[index]!);
		} catch (error) {
			throw refusal(error, full, source);
		}
	}

	return {
		/** Whether the batch is full and wants to be sent. */
		add(message: ReadValue): boolean {
			batch.messages.push(message);
			batch.size += message.size;
			return batch.messages.length >= BATCH.messages || batch.size >= BATCH.size;
		},
		/** Sends what there is; resolves once it is on its way and what was before it has arrived. */
		async send(): Promise<void> {
			const full = batch;
			batch = emptyBatch();
			await onItsWay;
			if (full.messages.length === 0) return;
			sessionId ??= await open();
			onItsWay = append(sessionId, full);
			// Whoever waits for it hears of its failure; until then that must not count as unheard.
			onItsWay.catch(() => {});
		},
		arrived: () => onItsWay,
	};
}

/**
 * Reads an input into a session of the daemon, in batches, the next one read while the last is on its way.
 * Fails with exit code 2 and the line of the first thing that cannot be used.
 */
export async function loadSession(
	daemon: Daemon,
	source: Source,
	chosen: ModelChoice,
	report: (progress: LoadProgress) => void,
): Promise<LoadedSession> {
	const labels = createLabels();
	const progress: LoadProgress = { read: 0, size: source.size, messages: 0 };
	let session: Pick<LoadedSession, 'sessionId' | 'modelFrom'> | undefined;
	let header: Fields | undefined;
	let headers = 0;

	async function open(): Promise<string> {
		const { provider, model, from } = modelOf(chosen, header);
		const { sessionId } = await daemon.request(sessionOpen, { provider, model });
		session = { sessionId, modelFrom: from };
		return sessionId;
	}

	const sender = createSender(daemon, source, open, labels);

	async function take(value: ReadValue): Promise<void> {
		if (value.kind === 'header') {
			headers++;
			header ??= value.fields;
			return;
		}
		progress.messages++;
		if (!sender.add(value)) return;
		await sender.send();
		report(progress);
	}

	try {
		const chunks = counted(source.chunks, (bytes) => {
			progress.read += bytes;
		});
		for await (const values of readValues(chunks, source.complain)) {
			for (const value of values) await take(value);
		}
		await sender.send();
	} finally {
		// A refusal of what stands earlier in the input is told rather than what was found further down.
		await sender.arrived();
	}
	if (!session) throw nothingRead(source, headers);
	return { ...session, messageCount: progress.messages, labels };
}
