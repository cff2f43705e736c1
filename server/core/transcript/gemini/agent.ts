import type { IdentifiedMessage } from '../../../protocol/conversation.ts';
import { type Fields, isFields } from '../../shape.ts';
import { asFields, asList, asText, firstText } from '../../values.ts';
import type { Agent, TranscriptReader } from '../reading/agent.ts';
import { joinContent, readBlocks } from '../reading/blocks.ts';
import { EventGroups } from '../reading/eventGroups.ts';
import { createInfoTracker, type TranscriptEvent } from '../reading/events.ts';
import {
	type AssumedWindow,
	createLimit,
	createWindowLimit,
	findProvenWindow,
	type LimitRule,
	readShare,
} from '../reading/limit.ts';
import type { FolderLocation, ProjectNames } from '../reading/locations.ts';
import { MessageLog } from '../reading/log.ts';
import { readSettingMembers, type SettingsSource } from '../reading/settings.ts';
import { readFileToolRules, wholeFileToolRules } from '../reading/tools.ts';
import { createGeminiRecordKey, ResultTracker, readGeminiMessage } from './messages.ts';

/** Returns a location inside the folder of Gemini CLI, which other Google programs share. */
export function createGeminiLocation(...below: string[]): FolderLocation {
	return [{ variable: 'GEMINI_CLI_HOME', below: ['.gemini', ...below] }, { below: ['.gemini', ...below] }];
}

/** The window that Gemini CLI assumes for every model except Gemma. */
const defaultWindow = 1_048_576;
/** Default share of the window at which the chat is compressed before the next prompt. */
const defaultShare = 0.5;

/** The limit of a Gemini CLI session: half of the window, or `model.compressionThreshold`. */
const geminiLimit: LimitRule = ({ model = '', chosenWindow, answeredTokens, settings = {} }) => {
	const isGemma = /gemma/i.test(model);
	const window = chosenWindow ?? findProvenWindow(isGemma ? 262_144 : defaultWindow, answeredTokens);
	const assumedWindow: AssumedWindow = { window, of: chosenWindow === undefined ? 'agent' : 'setting' };
	const { compressionThreshold } = asFields(settings.model);
	if (compressionThreshold === 1) return createWindowLimit(assumedWindow);
	return createLimit(assumedWindow, window * (readShare(compressionThreshold) ?? defaultShare));
};

/** Where Gemini CLI stores the share of the window at which it compresses the chat, and how to read it. */
const geminiSettings: SettingsSource = {
	files: [createGeminiLocation('settings.json'), { project: ['.gemini', 'settings.json'] }],
	read: (texts) => readSettingMembers(texts, 'model', ['compressionThreshold']),
};

/** Project folders are named after the digest of the project's path, or contain a file with the path. */
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
		reads: { readfile: readFileToolRules, readmanyfiles: [{ list: ['paths', 'include'] }] },
		edits: { replace: wholeFileToolRules, writefile: wholeFileToolRules },
		shells: { runshellcommand: { command: ['command'], folder: ['directory', 'dir_path'] } },
	},
	recognizes(record) {
		const { sessionId, projectHash, type, id, timestamp } = asFields(record);
		if (typeof sessionId === 'string' && typeof projectHash === 'string') return true;
		return type === 'gemini' && typeof id === 'string' && typeof timestamp === 'string';
	},
	createReader: () => new GeminiCliReader(),
	limit: geminiLimit,
	settings: geminiSettings,
	startPattern: /^\s*\{\s*"sessionId"\s*:[^[]{0,1000}"projectHash"\s*:/,
	homes: [{ root: createGeminiLocation('tmp'), path: [geminiProject, 'chats', /\.jsonl?$/] }],
	subAgents: {
		homes: [{ root: createGeminiLocation('tmp'), path: [geminiProject, 'chats', /^[^.]+$/, /\.jsonl?$/] }],
		// The folder of a session's sub-agents is named after the session's id.
		findParentSessionId: (path) => /[/\\]chats[/\\]([^/\\]+)[/\\][^/\\]+\.jsonl?$/.exec(path)?.[1],
	},
	outputs: {
		homes: [
			{ root: createGeminiLocation('tmp'), path: [geminiProject, 'tool-outputs', /^session-/, /\.txt$/] },
		],
		findSessionId: (path) => /^session-(.+)$/.exec(path.split(/[/\\]/).at(-2) ?? '')?.[1],
		createRecord: (name, output) => ({
			id: name,
			type: 'user',
			content: [{ functionResponse: { id: name, name: name.split('_', 1)[0], response: { output } } }],
		}),
	},
};

class GeminiCliReader implements TranscriptReader {
	readonly #log = new MessageLog();
	readonly #infoEvents = createInfoTracker();
	#groups = new EventGroups();
	/** Number of groups that remained after the newest compression. */
	#compressedGroupCount = 0;
	readonly #positionsByKey = new Map<string, number>();
	#orderedKeys: string[] = [];
	readonly #resultTracker = new ResultTracker();
	/** Ids of the calls that each record has contained so far. */
	readonly #callIdsByRecord = new Map<string, Set<string>>();

	push(record: unknown): TranscriptEvent[] {
		const line = this.#log.countRecord();
		if (!isFields(record)) return [{ t: 'skipped', type: 'unknown' }];
		const edit = asFields(record.$set);
		const info = this.#infoEvents({
			sessionId: firstText(record.sessionId),
			model: firstText(record.model),
			provider: record.type === 'gemini' || Array.isArray(record.messages) ? 'google' : undefined,
			title: firstText(record.summary, edit.summary),
		});
		const list = Array.isArray(record.messages) ? record.messages : edit.messages;
		if (Array.isArray(list)) {
			const model = list.map((raw) => asFields(raw).model).findLast((one) => typeof one === 'string');
			const isCompressed =
				list === edit.messages && list.filter(isFields).some((raw, index) => this.#isNewSnapshot(raw, index));
			const events = isCompressed ? this.#compress(list) : this.#readRecords(list);
			return [...info, ...this.#infoEvents({ model: firstText(model) }), ...events];
		}
		// A rewind removes the named message and everything after it; an unknown id clears the chat.
		if (typeof record.$rewindTo === 'string')
			return [...info, ...this.#truncate(this.#positionsByKey.get(record.$rewindTo) ?? 0)];
		return typeof record.type === 'string'
			? [...info, ...this.#readRecord(record, createGeminiRecordKey(record, `l${line}`))]
			: info;
	}

	/** Returns a compaction that replaces everything by the current messages: a compression keeps no earlier message. */
	#createCompaction(): TranscriptEvent[] {
		this.#compressedGroupCount = this.#groups.length;
		const replacement = this.#groups.listMessages().map((message) => {
			const isSummary = message.role === 'user' && isSnapshot(message.content);
			return isSummary
				? { ...message, metadata: { ...message.metadata, injected: true, isSummary } }
				: message;
		});
		if (replacement.length === 0) return [{ t: 'rewind', toMessageId: null }];
		return [{ t: 'compaction', replacement, visibleIds: replacement.map(({ id }) => id) }];
	}

	#readIntoGroup(raw: Fields, key: string): TranscriptEvent[] {
		this.#callIdsByRecord.set(
			key,
			new Set([...(this.#callIdsByRecord.get(key) ?? []), ...listCalls(raw).map(readCallId)]),
		);
		const position = this.#positionsByKey.get(key);
		if (position !== undefined) {
			const changes = this.#groups.put(position, readGeminiMessage(raw, key, this.#resultTracker));
			const isComplete =
				position >= this.#compressedGroupCount ||
				changes.every(({ t }) => t === 'replace' || t === 'skipped');
			return isComplete ? changes : this.#createCompaction();
		}
		this.#positionsByKey.set(key, this.#orderedKeys.length);
		this.#orderedKeys.push(key);
		return this.#groups.put(this.#groups.length, readGeminiMessage(raw, key, this.#resultTracker));
	}

	/** Reads one record. In editors, Gemini CLI repeats the calls of a turn's first record in later records. */
	#readRecord(raw: Fields, key: string): TranscriptEvent[] {
		const callIds = this.#callIdsByRecord.get(key);
		const position = this.#positionsByKey.get(key);
		if (callIds === undefined || callIds.size === 0 || position === this.#orderedKeys.length - 1)
			return this.#readIntoGroup(raw, key);
		const calls = listCalls(raw).filter((call) => !callIds.has(readCallId(call)));
		for (const call of calls) callIds.add(readCallId(call));
		if (calls.length > 0) return this.#readIntoGroup({ ...raw, toolCalls: calls }, `${key}:${callIds.size}`);
		return position === undefined ? [] : this.#readIntoGroup(raw, key);
	}

	#truncate(count: number): TranscriptEvent[] {
		for (const key of this.#orderedKeys.slice(count)) {
			this.#positionsByKey.delete(key);
			this.#resultTracker.forget(key);
		}
		this.#orderedKeys = this.#orderedKeys.slice(0, count);
		const events = this.#groups.truncate(count);
		return count < this.#compressedGroupCount && events.length > 0 ? this.#createCompaction() : events;
	}

	#isNewSnapshot(raw: Fields, index: number): boolean {
		return (
			raw.type === 'user' &&
			!this.#positionsByKey.has(createGeminiRecordKey(raw, `m${index + 1}`)) &&
			isSnapshot(joinContent(readBlocks(raw.content).parts))
		);
	}

	/** Handles a compression: the list contains the remaining chat. */
	#compress(list: readonly unknown[]): TranscriptEvent[] {
		this.#truncate(0);
		this.#groups = new EventGroups();
		this.#compressedGroupCount = 0;
		for (const [index, raw] of list.filter(isFields).entries())
			this.#readIntoGroup(raw, createGeminiRecordKey(raw, `m${index + 1}`));
		return this.#createCompaction();
	}

	/** Reads the current list, and keeps the messages that did not change. */
	#readRecords(list: readonly unknown[]): TranscriptEvent[] {
		const messages = list.filter(isFields);
		const keys = messages.map((raw, index) => createGeminiRecordKey(raw, `m${index + 1}`));
		const firstChanged = this.#orderedKeys.findIndex((key, index) => key !== keys[index]);
		const events = firstChanged < 0 ? [] : this.#truncate(firstChanged);
		for (const [index, raw] of messages.entries())
			events.push(...this.#readIntoGroup(raw, keys[index] ?? ''));
		return events;
	}
}

/** Whether a message is the snapshot that replaces everything that Gemini CLI compressed. */
function isSnapshot(content: IdentifiedMessage['content']): boolean {
	return typeof content === 'string' && content.trimStart().startsWith('<state_snapshot>');
}

function listCalls({ toolCalls }: Fields): Fields[] {
	return asList(toolCalls).map(asFields);
}

function readCallId({ id }: Fields): string {
	return asText(id);
}
