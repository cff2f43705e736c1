import type { IdentifiedMessage } from '../../../protocol/conversation.ts';
import { type Fields, isFields } from '../../shape.ts';
import type { Agent, TranscriptReader } from '../reading/agent.ts';
import { contentOf, readContentBlocks } from '../reading/blocks.ts';
import { createInfoTracker, type TranscriptEvent } from '../reading/events.ts';
import { createEventGroups } from '../reading/groups.ts';
import type { ProjectNames } from '../reading/home.ts';
import { type LimitRule, limitAt, provenWindow, shareOf, wholeWindow } from '../reading/limit.ts';
import { MessageLog } from '../reading/log.ts';
import { readSettingsMembers, type SettingsSource } from '../reading/settings.ts';
import { readFileRules, wholeFileRules } from '../reading/tools.ts';
import { asText, fieldsOf, firstText, listOf } from '../reading/values.ts';
import { geminiFolder } from './folder.ts';
import { createResultTracker, geminiRecordKey, readGeminiMessage } from './messages.ts';

/** The window that Gemini CLI assumes for every model except Gemma. */
const usualWindow = 1_048_576;
/** Default share of the window at which the chat is compressed before the next prompt. */
const usualShare = 0.5;

/** The limit of a Gemini CLI session: half of the window, or `model.compressionThreshold`. */
const geminiLimit: LimitRule = ({ model = '', chosenWindow, answered, settings = {} }) => {
	const isGemma = /gemma/i.test(model);
	const window = chosenWindow ?? provenWindow(isGemma ? 262_144 : usualWindow, answered);
	const supposed = { window, of: chosenWindow === undefined ? ('agent' as const) : ('setting' as const) };
	const { compressionThreshold } = fieldsOf(settings.model);
	if (compressionThreshold === 1) return wholeWindow(supposed);
	return limitAt(supposed, window * (shareOf(compressionThreshold) ?? usualShare));
};

/** The share of the window at which Gemini CLI compresses the chat. */
const geminiSettings: SettingsSource = {
	files: [
		[
			{ variable: 'GEMINI_CLI_HOME', below: ['.gemini', 'settings.json'] },
			{ below: ['.gemini', 'settings.json'] },
		],
		{ project: ['.gemini', 'settings.json'] },
	],
	read: (texts) => readSettingsMembers(texts, 'model', ['compressionThreshold']),
};

/** Folders of projects are named by the digest of their path, or have a file with it. */
const geminiProject: ProjectNames = {
	isProject: (name, { digest }) => name === digest,
	isConclusive: true,
	pathFile: '.project_root',
};

/** Chat files of Gemini CLI: one JSON document, or since 2026 JSON Lines of the same messages. */
export const geminiCli: Agent = {
	name: 'gemini-cli',
	label: 'Gemini CLI',
	tools: {
		reads: { readfile: readFileRules, readmanyfiles: [{ list: ['paths', 'include'] }] },
		edits: { replace: wholeFileRules, writefile: wholeFileRules },
		shells: { runshellcommand: { command: ['command'], folder: ['directory', 'dir_path'] } },
	},
	detect: ({ records }) =>
		records.some((record) => {
			const { sessionId, projectHash, type, id, timestamp } = fieldsOf(record);
			if (typeof sessionId === 'string' && typeof projectHash === 'string') return true;
			return type === 'gemini' && typeof id === 'string' && typeof timestamp === 'string';
		}),
	start: () => new GeminiCliReader(),
	limit: geminiLimit,
	settings: geminiSettings,
	beginning: /^\s*\{\s*"sessionId"\s*:[^[]{0,1000}"projectHash"\s*:/,
	homes: [{ root: geminiFolder('tmp'), path: [geminiProject, 'chats', /\.jsonl?$/] }],
	subAgents: {
		homes: [{ root: geminiFolder('tmp'), path: [geminiProject, 'chats', /^[^.]+$/, /\.jsonl?$/] }],
		// Their folder has the id of the session.
		parentOf: (path) => /[/\\]chats[/\\]([^/\\]+)[/\\][^/\\]+\.jsonl?$/.exec(path)?.[1],
	},
	outputs: {
		homes: [{ root: geminiFolder('tmp'), path: [geminiProject, 'tool-outputs', /^session-/, /\.txt$/] }],
		sessionOf: (path) => /^session-(.+)$/.exec(path.split(/[/\\]/).at(-2) ?? '')?.[1],
		record: (name, output) => ({
			id: name,
			type: 'user',
			content: [{ functionResponse: { id: name, name: name.split('_', 1)[0], response: { output } } }],
		}),
	},
};

class GeminiCliReader implements TranscriptReader {
	readonly #log = new MessageLog();
	readonly #infoEvents = createInfoTracker();
	#groups = createEventGroups();
	/** Number of groups that the newest compression left. */
	#compressed = 0;
	readonly #places = new Map<string, number>();
	#order: string[] = [];
	readonly #results = createResultTracker();
	/** Ids of the calls that each record has contained so far. */
	readonly #callIdsByRecord = new Map<string, Set<string>>();

	push(record: unknown): TranscriptEvent[] {
		const line = this.#log.nextRecord();
		if (!isFields(record)) return [{ t: 'skipped', type: 'unknown' }];
		const set = fieldsOf(record.$set);
		const info = this.#infoEvents({
			sessionId: firstText(record.sessionId),
			model: firstText(record.model),
			provider: record.type === 'gemini' || Array.isArray(record.messages) ? 'google' : undefined,
			title: firstText(record.summary, set.summary),
		});
		const list = Array.isArray(record.messages) ? record.messages : set.messages;
		if (Array.isArray(list)) {
			const model = list.map((raw) => fieldsOf(raw).model).findLast((one) => typeof one === 'string');
			const isCompressed =
				list === set.messages && list.filter(isFields).some((raw, index) => this.#isNewSnapshot(raw, index));
			const events = isCompressed ? this.#compress(list) : this.#readAll(list);
			return [...info, ...this.#infoEvents({ model: firstText(model) }), ...events];
		}
		// A rewind removes that message and everything after it; an unknown id clears the chat.
		if (typeof record.$rewindTo === 'string')
			return [...info, ...this.#cut(this.#places.get(record.$rewindTo) ?? 0)];
		return typeof record.type === 'string'
			? [...info, ...this.#readOne(record, geminiRecordKey(record, `l${line}`))]
			: info;
	}

	/** The compaction with the current messages after a compression; all of them are new to the model. */
	#compaction(): TranscriptEvent[] {
		this.#compressed = this.#groups.length;
		const replacement = this.#groups.messages().map((message) => {
			const isSummary = message.role === 'user' && isSnapshot(message.content);
			return isSummary
				? { ...message, metadata: { ...message.metadata, injected: true, isSummary } }
				: message;
		});
		if (replacement.length === 0) return [{ t: 'rewind', toMessageId: null }];
		return [{ t: 'compaction', replacement, visibleIds: replacement.map(({ id }) => id) }];
	}

	#readInto(raw: Fields, key: string): TranscriptEvent[] {
		this.#callIdsByRecord.set(
			key,
			new Set([...(this.#callIdsByRecord.get(key) ?? []), ...callsIn(raw).map(idOf)]),
		);
		const place = this.#places.get(key);
		if (place !== undefined) {
			const changes = this.#groups.put(place, readGeminiMessage(raw, key, this.#results));
			const isWhole =
				place >= this.#compressed || changes.every(({ t }) => t === 'replace' || t === 'skipped');
			return isWhole ? changes : this.#compaction();
		}
		this.#places.set(key, this.#order.length);
		this.#order.push(key);
		return this.#groups.put(this.#groups.length, readGeminiMessage(raw, key, this.#results));
	}

	/** Reads one record. In editors, Gemini CLI repeats the calls of a turn's first record in later ones. */
	#readOne(raw: Fields, key: string): TranscriptEvent[] {
		const known = this.#callIdsByRecord.get(key);
		const place = this.#places.get(key);
		if (known === undefined || known.size === 0 || place === this.#order.length - 1)
			return this.#readInto(raw, key);
		const fresh = callsIn(raw).filter((call) => !known.has(idOf(call)));
		for (const call of fresh) known.add(idOf(call));
		if (fresh.length > 0) return this.#readInto({ ...raw, toolCalls: fresh }, `${key}:${known.size}`);
		return place === undefined ? [] : this.#readInto(raw, key);
	}

	#cut(count: number): TranscriptEvent[] {
		for (const key of this.#order.slice(count)) {
			this.#places.delete(key);
			this.#results.forget(key);
		}
		this.#order = this.#order.slice(0, count);
		const events = this.#groups.cut(count);
		return count < this.#compressed && events.length > 0 ? this.#compaction() : events;
	}

	#isNewSnapshot(raw: Fields, index: number): boolean {
		return (
			raw.type === 'user' &&
			!this.#places.has(geminiRecordKey(raw, `m${index + 1}`)) &&
			isSnapshot(contentOf(readContentBlocks(raw.content).parts))
		);
	}

	/** Handles a compression: the list is what remains of the chat. */
	#compress(list: readonly unknown[]): TranscriptEvent[] {
		this.#cut(0);
		this.#groups = createEventGroups();
		this.#compressed = 0;
		for (const [index, raw] of list.filter(isFields).entries())
			this.#readInto(raw, geminiRecordKey(raw, `m${index + 1}`));
		return this.#compaction();
	}

	/** Reads the current list, and keeps the messages that did not change. */
	#readAll(list: readonly unknown[]): TranscriptEvent[] {
		const messages = list.filter(isFields);
		const keys = messages.map((raw, index) => geminiRecordKey(raw, `m${index + 1}`));
		const parted = this.#order.findIndex((key, index) => key !== keys[index]);
		const events = parted < 0 ? [] : this.#cut(parted);
		for (const [index, raw] of messages.entries()) events.push(...this.#readInto(raw, keys[index] ?? ''));
		return events;
	}
}

/** Whether a message is the snapshot that replaces everything that Gemini CLI compressed. */
function isSnapshot(content: IdentifiedMessage['content']): boolean {
	return typeof content === 'string' && content.trimStart().startsWith('<state_snapshot>');
}

function callsIn({ toolCalls }: Fields): Fields[] {
	return listOf(toolCalls).map(fieldsOf);
}

function idOf({ id }: Fields): string {
	return asText(id);
}
