import type { ChatMessage, ContentPart, ToolCall } from '../../../protocol/conversation.ts';
import { createImageUrl, joinPlainText, toContentParts } from '../../format/wire/content.ts';
import type { Fields } from '../../shape.ts';
import type { NewSession } from './session.ts';

/** The OpenCode version whose export this is; later versions import it too. */
const formatVersion = '1.18.33';

/** Time units of OpenCode's ids per millisecond. */
const unitsPerMs = 4096n;
/** Number of low bits of the time that an id contains. */
const idBits = 48n;

export function createOpenCodeSessionId(uuid: string): string {
	return `ses_${uuid.replaceAll('-', '').slice(0, 26)}`;
}

/** Creates ids that sort by time and before the ids that OpenCode adds later. */
class OpenCodeIds {
	#lastUnit: bigint;
	readonly #createId: () => string;

	constructor({ startedAt, createId }: NewSession) {
		this.#lastUnit = BigInt(startedAt) * unitsPerMs;
		this.#createId = createId;
	}

	next(prefix: 'msg' | 'prt'): string {
		this.#lastUnit += 1n;
		const time = BigInt.asUintN(Number(idBits), this.#lastUnit).toString(16).padStart(12, '0');
		return `${prefix}_${time}${this.#createId().replaceAll('-', '').slice(-14)}`;
	}
}

/**
 * Returns the document of an OpenCode session with these messages, which `opencode import FILE` adds to its sessions.
 * The messages must be portable (`makePortable`).
 */
export function createOpenCodeExport(messages: readonly ChatMessage[], session: NewSession): Fields {
	const { cwd, title = 'contextd', startedAt } = session;
	const sessionID = createOpenCodeSessionId(session.sessionId);
	const ids = new OpenCodeIds(session);
	const results = new Map(messages.map((message) => [message.toolCallId, message]));
	let parentID: string | undefined;
	const entries = messages.flatMap((message) => {
		if (message.role === 'tool') return [];
		const id = ids.next('msg');
		const owner = (part: Fields): Fields => ({ ...part, id: ids.next('prt'), sessionID, messageID: id });
		if (message.role !== 'assistant') {
			parentID = id;
			const info = { ...createUserInfo(session), id, sessionID };
			// OpenCode sends such a text to the model, and does not show it.
			const flags = message.metadata?.injected === true && { synthetic: true };
			const parts = toContentParts(message.content).flatMap(createOpenCodePart);
			return [{ info, parts: parts.map((part) => owner({ ...part, ...(part.type === 'text' && flags) })) }];
		}
		const info = { ...createAnswerInfo(message, session), id, sessionID, parentID: parentID ?? id };
		const content = toContentParts(message.content).flatMap(createOpenCodePart);
		const calls = (message.toolCalls ?? []).map((call) => {
			const result = results.get(call.id);
			const images = toContentParts(result?.content ?? '').filter((part) => part.type === 'image');
			return createToolPart(call, result, startedAt, images.flatMap(createOpenCodePart).map(owner));
		});
		return [{ info, parts: [...content.map(owner), ...calls.map(owner)] }];
	});
	const time = { created: startedAt, updated: startedAt };
	return {
		info: {
			id: sessionID,
			slug: sessionID,
			projectID: 'global',
			directory: cwd,
			title,
			version: formatVersion,
			time,
		},
		messages: entries,
	};
}

/** The agent of OpenCode that works on a request unless the user chooses another one. */
const defaultAgent = 'build';

function createUserInfo({ startedAt, provider, model }: NewSession): Fields {
	return {
		role: 'user',
		time: { created: startedAt },
		agent: defaultAgent,
		model: { providerID: provider, modelID: model },
	};
}

function createAnswerInfo(
	{ toolCalls = [] }: ChatMessage,
	{ startedAt, cwd, provider, model }: NewSession,
): Fields {
	return {
		role: 'assistant',
		time: { created: startedAt, completed: startedAt },
		mode: defaultAgent,
		agent: defaultAgent,
		path: { cwd, root: cwd },
		cost: 0,
		tokens: { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } },
		modelID: model,
		providerID: provider,
		finish: toolCalls.length > 0 ? 'tool-calls' : 'stop',
	};
}

function createToolPart(
	{ id, name, args }: ToolCall,
	result: ChatMessage | undefined,
	at: number,
	attachments: readonly Fields[],
): Fields {
	const { content = '', isError = false } = result ?? {};
	const time = { start: at, end: at };
	const text = joinPlainText(content);
	const state = isError
		? { status: 'error', input: args, error: text, time }
		: {
				status: 'completed',
				input: args,
				output: text,
				title: name,
				metadata: {},
				time,
				...(attachments.length > 0 && { attachments }),
			};
	return { type: 'tool', tool: name, callID: id, state };
}

function createOpenCodePart(part: ContentPart): Fields[] {
	if (part.type === 'text') return [{ type: 'text', text: part.text }];
	const url = part.type === 'image' ? createImageUrl(part) : undefined;
	return part.type !== 'image' || url === undefined ? [] : [{ type: 'file', mime: part.mediaType, url }];
}
