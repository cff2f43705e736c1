import { type Fields, isFields } from '../../shape.ts';
import { asFields, asList, asText, firstNumber, firstText, parseTime, readRecordType } from '../../values.ts';
import type { Agent, TranscriptReader } from '../reading/agent.ts';
import { readBlocks, toResultContent } from '../reading/blocks.ts';
import { createInfoTracker, type TranscriptEvent } from '../reading/events.ts';
import {
	assumeWindow,
	createLimit,
	createWindowLimit,
	type LimitEvidence,
	type LimitRule,
} from '../reading/limit.ts';
import { createLocation, type ProjectNames } from '../reading/locations.ts';
import { createSummaryMessage, MessageLog } from '../reading/log.ts';
import { parseJsonFields, pickFields, readSettingMembers, type SettingsSource } from '../reading/settings.ts';
import { bashRule, readToolRules, wholeFileToolRules } from '../reading/tools.ts';
import { readNeutralUsage } from '../reading/usage.ts';

/** Project folders are named after the path, with dashes for separators. */
const projectNames: ProjectNames = {
	isProject: (name, { path }) => name.startsWith(`--${path.replace(/^[/\\]/, '').replace(/[/\\:]/g, '-')}-`),
	isConclusive: false,
};

/**
 * Tokens of the history after pi's own compaction: measured on 0.87.1, 16,000 to 20,000. pi keeps up to 20,000 tokens
 * of the newest messages next to a summary.
 */
const compactionRemainingTokens = 16_000;

/** Tokens of the window that pi keeps free by default. */
const defaultReserve = 16_384;

/**
 * The limit of a pi session: the window minus `compaction.reserveTokens` of its settings; the whole
 * window if `compaction.enabled` is false. The window of a model that the user added is in `models.json`.
 */
const piLimit: LimitRule = (evidence) => {
	const assumedWindow = assumeWindow(evidence, findUserModelWindow(evidence));
	const { enabled, reserveTokens } = asFields(evidence.settings?.compaction);
	if (enabled === false) return createWindowLimit(assumedWindow);
	return createLimit(assumedWindow, assumedWindow.window - (firstNumber(reserveTokens) ?? defaultReserve));
};

/** Returns the window of a model that the user added. */
export function findUserModelWindow({ provider = '', model, settings }: LimitEvidence): number | undefined {
	const { models } = asFields(asFields(settings?.providers)[provider]);
	const userModel = asList(models)
		.map(asFields)
		.find(({ id }) => id === model);
	return firstNumber(userModel?.contextWindow);
}

/** Settings of pi: the reserve, and the windows of models that the user added. */
const piSettings: SettingsSource = {
	files: [
		createLocation('PI_CODING_AGENT_DIR', ['.pi', 'agent'], 'models.json'),
		createLocation('PI_CODING_AGENT_DIR', ['.pi', 'agent'], 'settings.json'),
		{ project: ['.pi', 'settings.json'] },
	],
	read([models = '', ...texts]) {
		const { settings } = readSettingMembers(texts, 'compaction', ['enabled', 'reserveTokens']);
		const providers = pickModelWindows(asFields(parseJsonFields(models).providers));
		return { settings: { ...settings, providers } };
	},
};

/** Keeps only the windows of each provider's models, because its settings also contain keys. */
export function pickModelWindows(providers: Fields): Fields {
	return Object.fromEntries(
		Object.entries(providers).map(([name, provider]) => {
			const models = asList(asFields(provider).models).map((model) =>
				pickFields(asFields(model), ['id', 'contextWindow']),
			);
			return [name, { models }];
		}),
	);
}

/** Session files of pi (and of agents built on it): a tree of entries, one per line. */
export const piSession: Agent = {
	name: 'pi',
	label: 'pi',
	tools: {
		reads: { read: readToolRules },
		edits: { edit: wholeFileToolRules, write: wholeFileToolRules },
		shells: { bash: bashRule },
	},
	recognizes(record) {
		const { type, message, id, cwd } = asFields(record);
		if (type === 'session') return typeof id === 'string' && typeof cwd === 'string';
		return type === 'message' && typeof asFields(message).role === 'string';
	},
	createReader: () => new PiSessionReader(),
	limit: piLimit,
	settings: piSettings,
	// File names start with the time of creation.
	plugin: {
		prefix: 'pi',
		threshold: 0.9,
		compactionRemainingTokens,
		findSessionId: (path) => /_([^_/\\]+)\.jsonl$/.exec(path)?.[1],
	},
	homes: [
		{
			root: createLocation('PI_CODING_AGENT_DIR', ['.pi', 'agent'], 'sessions'),
			path: [projectNames, /\.jsonl$/],
		},
	],
};

/** An entry of the current branch of a session. */
interface PathEntry {
	id: string;
	messages: readonly string[];
	isCompaction: boolean;
}

/** Reads sessions of pi and of agents with the same format. */
export class PiSessionReader implements TranscriptReader {
	readonly #log = new MessageLog();
	readonly #infoEvents = createInfoTracker();
	#branch: PathEntry[] = [];
	readonly #positionsById = new Map<string, number>();

	push(record: unknown): TranscriptEvent[] {
		const line = this.#log.countRecord();
		if (!isFields(record)) return [{ t: 'skipped', type: 'unknown' }];
		const isHeader = record.type === 'session' || record.type === 'session_start';
		const entryId = isHeader ? undefined : firstText(record.id);
		const id = entryId ?? `l${line}`;
		if (entryId !== undefined && this.#positionsById.has(entryId))
			return [{ t: 'skipped', type: 'duplicate' }];
		const events = entryId === undefined ? [] : this.#branchTo(record.parentId);
		const recordEvents = this.#readRecord(record, id);
		const messages = recordEvents.flatMap((event) => {
			if (event.t === 'message') return [event.message.id];
			return event.t === 'compaction' ? event.replacement.map((message) => message.id) : [];
		});
		this.#positionsById.set(id, this.#branch.length);
		this.#branch.push({ id, messages, isCompaction: record.type === 'compaction' });
		return [...events, ...recordEvents];
	}

	/** If an entry continues an older entry than the newest one, removes everything after that older entry. */
	#branchTo(parentId: unknown): TranscriptEvent[] {
		const position = typeof parentId === 'string' ? this.#positionsById.get(parentId) : undefined;
		if (position === undefined || position === this.#branch.length - 1) return [];
		if (this.#branch[position]?.id !== parentId) return [];
		const isRewind = this.#branch.slice(position + 1).some(({ messages }) => messages.length > 0);
		this.#branch = this.#branch.slice(0, position + 1);
		const lastMessageId = this.#branch.findLast(({ messages }) => messages.length > 0)?.messages.at(-1);
		return isRewind ? [{ t: 'rewind', toMessageId: lastMessageId ?? null }] : [];
	}

	#readCompaction(record: Fields, id: string): TranscriptEvent[] {
		const firstKept = firstText(record.firstKeptEntryId);
		const index = firstNumber(record.firstKeptEntryIndex);
		const firstKeptIndex = firstKept === undefined ? index : this.#positionsById.get(firstKept);
		const keptEntries = firstKeptIndex === undefined ? [] : this.#branch.slice(Math.max(0, firstKeptIndex));
		// An earlier summary in that range is not shown again.
		const keptIds = keptEntries.flatMap(({ messages, isCompaction }) => (isCompaction ? [] : messages));
		const summary = createSummaryMessage(id, asText(record.summary), parseTime(record.timestamp));
		const { message } = this.#log.add(summary);
		const visibleIds = [message.id, ...keptIds];
		const tokensBefore = firstNumber(record.tokensBefore);
		return [{ t: 'compaction', replacement: [message], visibleIds, tokensBefore }];
	}

	#readRecord(record: Fields, id: string): TranscriptEvent[] {
		switch (record.type) {
			case 'session':
			case 'session_start':
				return this.#infoEvents({
					sessionId: firstText(record.id),
					cwd: firstText(record.cwd),
					provider: firstText(record.provider),
					model: firstText(record.modelId),
					title: firstText(record.title),
				});
			case 'model_change':
				return this.#infoEvents({ provider: firstText(record.provider), model: firstText(record.modelId) });
			case 'session_info':
				return this.#infoEvents({ title: firstText(record.name) });
			case 'message':
				return isFields(record.message)
					? this.#readMessage(record.message, record, id)
					: [{ t: 'skipped', type: readRecordType(record) }];
			case 'compaction':
				return this.#readCompaction(record, id);
			case 'branch_summary':
			case 'custom_message': {
				const blocks = readBlocks(record.summary ?? record.content);
				const timestamp = parseTime(record.timestamp);
				return this.#log.addBlocks(id, 'user', blocks, { injected: true, timestamp });
			}
			default:
				return [{ t: 'skipped', type: readRecordType(record) }];
		}
	}

	#readMessage(message: Fields, record: Fields, id: string): TranscriptEvent[] {
		const timestamp = parseTime(record.timestamp, message.timestamp);
		const blocks = readBlocks(message.content);
		switch (message.role) {
			case 'assistant': {
				const usage = readNeutralUsage(message.usage);
				const info = this.#infoEvents({
					provider: firstText(message.provider),
					model: firstText(message.model),
				});
				const stopReason = message.stopReason === 'toolUse' ? 'tool' : firstText(message.stopReason);
				return [...info, ...this.#log.addBlocks(id, 'assistant', blocks, { usage, stopReason, timestamp })];
			}
			case 'toolResult': {
				const result = {
					callId: firstText(message.toolCallId),
					toolName: firstText(message.toolName),
					content: toResultContent(message.content),
					isError: message.isError === true || undefined,
				};
				return [this.#log.addResult(id, result, { timestamp })];
			}
			case 'bashExecution': {
				const text = `$ ${asText(message.command)}\n${asText(message.output)}`;
				return this.#log.addBlocks(id, 'user', readBlocks(text), { injected: true, timestamp });
			}
			case 'user':
				return this.#log.addBlocks(id, 'user', blocks, { timestamp });
			default: {
				const content = message.content === undefined ? readBlocks(message.summary) : blocks;
				return this.#log.addBlocks(id, 'user', content, { injected: true, timestamp });
			}
		}
	}
}
