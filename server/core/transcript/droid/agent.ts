import type { Usage } from '../../../protocol/conversation.ts';
import type { Fields } from '../../shape.ts';
import { asFields, asText, firstNumber, firstText, parseTime } from '../../values.ts';
import { PiSessionReader } from '../pi/agent.ts';
import type { Agent, TranscriptReader } from '../reading/agent.ts';
import { createInfoTracker, type TranscriptEvent } from '../reading/events.ts';
import { assumeWindow, createLimit, createWindowLimit, type LimitRule } from '../reading/limit.ts';
import type { FolderLocation } from '../reading/locations.ts';
import { createSummaryMessage } from '../reading/log.ts';
import { parseJsonFields, pickFields, type SettingsSource } from '../reading/settings.ts';
import { commandRule, readToolRules, wholeFileToolRules } from '../reading/tools.ts';
import { readUsageExcludingCache } from '../reading/usage.ts';

/** Size of a session at which Droid compacts by default, in tokens. */
const defaultCompactionTokens = 250_000;

/**
 * The limit of a Droid session: `compactionTokenLimitPerModel` or `compactionTokenLimit` of its general settings,
 * otherwise 250,000, but at most the window; the whole window if `compactionThresholdCheckEnabled` is false.
 */
const droidLimit: LimitRule = (evidence) => {
	const assumedWindow = assumeWindow(evidence);
	const general = asFields(evidence.settings?.general);
	if (general.compactionThresholdCheckEnabled === false) return createWindowLimit(assumedWindow);
	const modelLimit = asFields(general.compactionTokenLimitPerModel)[evidence.model ?? ''];
	return createLimit(
		assumedWindow,
		firstNumber(modelLimit) ?? firstNumber(general.compactionTokenLimit) ?? defaultCompactionTokens,
	);
};

/** Droid's settings files, of which only the settings of the compaction are read: the files also contain API keys. */
const droidSettings: SettingsSource = {
	files: [[{ below: ['.factory', 'settings.json'] }], { project: ['.factory', 'settings.json'] }],
	read(texts) {
		const names = ['compactionTokenLimit', 'compactionTokenLimitPerModel', 'compactionThresholdCheckEnabled'];
		const general: Fields = {};
		for (const file of texts.map(parseJsonFields))
			Object.assign(general, pickFields(file, names), pickFields(asFields(file.general), names));
		return { settings: { general } };
	},
};

/** Facts about a session's answers at the moment when its settings change. */
interface AnswerFacts {
	/** Whether there is only one answer. */
	isFirst: boolean;
	/** Characters of the second-to-last answer, and of everything between it and the last one. */
	addedChars: number;
}

/** Minimum and average number of characters per token. */
const charactersPerToken = { min: 2, average: 4 };

/**
 * Returns the usage of the newest call. Droid records this call's cache reads and uncached input, but cache writes
 * only as a sum over all calls. While the cache lasts, each token is written once, so the sum equals the last
 * read plus the last write. A sum beyond what the newest messages can contain means that the cache was rewritten.
 *
 * @param oldSettings the settings before the change
 */
function readNewestUsage(settings: Fields, oldSettings: Fields, answers: AnswerFacts): Usage | undefined {
	const { inputTokens, outputTokens, cacheReadTokens } = asFields(settings.lastCallTokenUsage);
	const input = firstNumber(inputTokens);
	if (input === undefined) return undefined;
	const read = firstNumber(cacheReadTokens) ?? 0;
	return readUsageExcludingCache(
		input,
		outputTokens ?? 0,
		read,
		estimateCacheWrites(settings, oldSettings, { ...answers, input, read }),
	);
}

function estimateCacheWrites(
	settings: Fields,
	oldSettings: Fields,
	{ isFirst, addedChars, input, read }: AnswerFacts & { input: number; read: number },
): number {
	const sums = asFields(settings.tokenUsage);
	const allWrites = firstNumber(sums.cacheCreationTokens) ?? 0;
	const oldSums = asFields(oldSettings.tokenUsage);
	const isOneCall =
		isFirst ||
		(firstNumber(oldSums.inputTokens) !== undefined &&
			(firstNumber(sums.inputTokens) ?? 0) - (firstNumber(oldSums.inputTokens) ?? 0) === input &&
			(firstNumber(sums.cacheReadTokens) ?? 0) - (firstNumber(oldSums.cacheReadTokens) ?? 0) === read);
	if (isOneCall) return allWrites - (isFirst ? 0 : (firstNumber(oldSums.cacheCreationTokens) ?? 0));
	if (allWrites === 0) return 0;
	const unreadTokens = allWrites - read;
	if (unreadTokens >= 0 && unreadTokens <= addedChars / charactersPerToken.min) return unreadTokens;
	return Math.round(addedChars / charactersPerToken.average);
}

const sessionsFolder: FolderLocation = [{ below: ['.factory', 'sessions'] }];
/** Type of the record that represents the settings next to a session. */
const settingsRecordType = 'session_settings';

/** Session files of Factory's Droid, whose messages have the same envelope as pi's. */
export const droidSession: Agent = {
	name: 'droid',
	label: 'Droid',
	tools: {
		reads: { read: readToolRules },
		edits: { edit: wholeFileToolRules, create: wholeFileToolRules },
		shells: { execute: commandRule },
	},
	recognizes(record) {
		const { type, id } = asFields(record);
		return type === 'session_start' && typeof id === 'string';
	},
	createReader: createDroidReader,
	limit: droidLimit,
	settings: droidSettings,
	companion: {
		findCompanionName: (transcript) =>
			/^[0-9a-f-]{36}(?=\.jsonl$)/.exec(transcript)?.[0].concat('.settings.json'),
		isTranscriptDocument: false,
		combineRecords: (records, settings) =>
			settings === undefined ? [...records] : [...records, { type: settingsRecordType, settings }],
	},
	homes: [
		{ root: sessionsFolder, path: [/./, /\.jsonl$/] },
		// Earlier versions kept all sessions in one folder.
		{ root: sessionsFolder, path: [/\.jsonl$/] },
	],
};

/** Facts of a message, to find what a compaction kept and to estimate the size of the newest messages. */
interface MessageFacts {
	id: string;
	isAnswer: boolean;
	characters: number;
}

function createDroidReader(): TranscriptReader {
	const pi = new PiSessionReader();
	const infoEvents = createInfoTracker();
	const messages: MessageFacts[] = [];
	/** A summary replaces the messages before this index; their usage no longer counts. */
	let visibleFrom = 0;
	let settings: Fields = {};
	/** Whether the session was read from its start. */
	let isReadFromStart = false;

	const readSettings = (newSettings: Fields): TranscriptEvent[] => {
		const oldSettings = settings;
		settings = newSettings;
		const info = infoEvents({
			provider: firstText(newSettings.providerLock, newSettings.apiProviderLock),
			model: firstText(newSettings.model),
		});
		const index = messages.findLastIndex(({ isAnswer }) => isAnswer);
		const newestAnswer = messages[index];
		if (newestAnswer === undefined || index < visibleFrom) return info;
		const earlierMessages = messages.slice(0, index);
		const oldIndex = earlierMessages.findLastIndex(({ isAnswer }) => isAnswer);
		const addedChars = earlierMessages
			.slice(Math.max(0, oldIndex))
			.reduce((sum, { characters }) => sum + characters, 0);
		const usage = readNewestUsage(newSettings, oldSettings, {
			isFirst: isReadFromStart && oldIndex < 0,
			addedChars,
		});
		return usage === undefined ? info : [...info, { t: 'usage', messageId: newestAnswer.id, usage }];
	};

	/** Returns a compaction whose summary replaces everything up to the anchor message; later messages are kept. */
	const readCompaction = (record: Fields): TranscriptEvent[] => {
		const anchor = firstText(asFields(record.anchorMessage).id);
		const position = messages.findLastIndex(({ id }) => id === anchor || id.startsWith(`${anchor}:`));
		const summaryId = firstText(record.id) ?? `compaction${messages.length}`;
		const summary = createSummaryMessage(summaryId, asText(record.summaryText), parseTime(record.timestamp));
		const tail = messages.slice(position < 0 ? messages.length : position + 1);
		visibleFrom = messages.length;
		return [
			{ t: 'compaction', replacement: [summary], visibleIds: [summaryId, ...tail.map(({ id }) => id)] },
		];
	};

	return {
		push(record) {
			const fields = asFields(record);
			if (fields.type === settingsRecordType) return readSettings(asFields(fields.settings));
			if (fields.type === 'compaction_state') return readCompaction(fields);
			isReadFromStart ||= fields.type === 'session_start';
			const events = pi.push(record);
			for (const event of events) {
				if (event.t !== 'message') continue;
				const { id, role, content, toolCalls } = event.message;
				const characters = JSON.stringify([content, toolCalls]).length;
				messages.push({ id, isAnswer: role === 'assistant', characters });
			}
			return events;
		},
	};
}
