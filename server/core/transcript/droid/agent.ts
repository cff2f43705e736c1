import type { Usage } from '../../../protocol/conversation.ts';
import type { Fields } from '../../shape.ts';
import { piSessionReader } from '../pi/agent.ts';
import type { Agent, TranscriptReader } from '../reading/agent.ts';
import { infoTeller, type TranscriptEvent } from '../reading/events.ts';
import type { Place } from '../reading/home.ts';
import { type LimitRule, limitAt, supposedWindow, wholeWindow } from '../reading/limit.ts';
import { summaryMessage } from '../reading/log.ts';
import { jsonFields, onlyFields, type SettingsSource } from '../reading/settings.ts';
import { command, readRules, wholeFile } from '../reading/tools.ts';
import { usageWithoutCache } from '../reading/usage.ts';
import { asText, fieldsOf, firstNumber, firstText, timeOf } from '../reading/values.ts';

/** Where it compacts unless the user or the model says otherwise. */
const usualLimit = 250_000;

/**
 * The limit of a session of Droid: `compactionTokenLimitPerModel` or `compactionTokenLimit` of its general settings,
 * else 250,000, and never more than the window; the whole window where `compactionThresholdCheckEnabled` is off.
 */
const droidLimit: LimitRule = (evidence) => {
	const supposed = supposedWindow(evidence);
	const general = fieldsOf(evidence.settings?.general);
	if (general.compactionThresholdCheckEnabled === false) return wholeWindow(supposed);
	const own = fieldsOf(general.compactionTokenLimitPerModel)[evidence.model ?? ''];
	return limitAt(supposed, firstNumber(own) ?? firstNumber(general.compactionTokenLimit) ?? usualLimit);
};

/** Where compaction is due, and nothing else: keys stand beside it. */
const droidSettings: SettingsSource = {
	files: [[{ below: ['.factory', 'settings.json'] }], { project: ['.factory', 'settings.json'] }],
	read(texts) {
		const general: Fields = {};
		for (const file of texts.map(jsonFields)) {
			const names = [
				'compactionTokenLimit',
				'compactionTokenLimitPerModel',
				'compactionThresholdCheckEnabled',
			];
			Object.assign(general, onlyFields(file, names), onlyFields(fieldsOf(file.general), names));
		}
		return { settings: Object.keys(general).length > 0 ? { general } : {}, environment: {} };
	},
};

/** What is known of the messages when the settings change. */
interface DroidAnswers {
	/** Whether there is one answer alone. */
	isFirst: boolean;
	/** Characters of the last answer but one, and of what came between that and the last one. */
	grown: number;
}

/** Characters that a token stands for at least, and usually. */
const perToken = { least: 2, usually: 4 };

/**
 * The figures of the newest call. Droid writes what that call read from the cache and what was new without it; what it
 * wrote to the cache stands in the sum over all calls alone. As each token is written once while the cache lives, the
 * sum is what was read and written last; where it is more than the newest messages can be, the cache was written anew.
 * @param before the settings as they were
 */
function newestUsage(settings: Fields, before: Fields, answers: DroidAnswers): Usage | undefined {
	const { inputTokens, outputTokens, cacheReadTokens } = fieldsOf(settings.lastCallTokenUsage);
	const input = firstNumber(inputTokens);
	if (input === undefined) return undefined;
	const read = firstNumber(cacheReadTokens) ?? 0;
	return usageWithoutCache(
		input,
		outputTokens ?? 0,
		read,
		written(settings, before, { ...answers, input, read }),
	);
}

function written(
	settings: Fields,
	before: Fields,
	{ isFirst, grown, input, read }: DroidAnswers & { input: number; read: number },
): number {
	const sum = fieldsOf(settings.tokenUsage);
	const all = firstNumber(sum.cacheCreationTokens) ?? 0;
	const earlier = fieldsOf(before.tokenUsage);
	const isOneCall =
		isFirst ||
		(firstNumber(earlier.inputTokens) !== undefined &&
			(firstNumber(sum.inputTokens) ?? 0) - (firstNumber(earlier.inputTokens) ?? 0) === input &&
			(firstNumber(sum.cacheReadTokens) ?? 0) - (firstNumber(earlier.cacheReadTokens) ?? 0) === read);
	if (isOneCall) return all - (isFirst ? 0 : (firstNumber(earlier.cacheCreationTokens) ?? 0));
	if (all === 0) return 0;
	const left = all - read;
	if (left >= 0 && left <= grown / perToken.least) return left;
	return Math.round(grown / perToken.usually);
}

const sessions: Place = [{ below: ['.factory', 'sessions'] }];
/** The record that the settings beside a session are read as. */
const settingsRecord = 'session_settings';

/** The session files of Factory's Droid, whose messages stand in the same kind of envelope as pi's. */
export const droidSession: Agent = {
	name: 'droid',
	label: 'Droid',
	tools: {
		reads: { read: readRules },
		edits: { edit: wholeFile, create: wholeFile },
		shells: { execute: command },
	},
	detect: ({ records }) =>
		records.some((record) => {
			const { type, id } = fieldsOf(record);
			return type === 'session_start' && typeof id === 'string';
		}),
	start: droidReader,
	limit: droidLimit,
	settings: droidSettings,
	companion: {
		nameOf: (transcript) => /^[0-9a-f-]{36}(?=\.jsonl$)/.exec(transcript)?.[0].concat('.settings.json'),
		isOfDocument: false,
		records: (own, settings) =>
			settings === undefined ? [...own] : [...own, { type: settingsRecord, settings }],
	},
	homes: [
		{ root: sessions, path: [/./, /\.jsonl$/] },
		// All sessions lay side by side before.
		{ root: sessions, path: [/\.jsonl$/] },
	],
};

/** What was read of a message: enough to find what a compaction kept, and to weigh what came last. */
interface ReadMessage {
	id: string;
	isAnswer: boolean;
	characters: number;
}

function droidReader(): TranscriptReader {
	const pi = piSessionReader();
	const tell = infoTeller();
	const messages: ReadMessage[] = [];
	/** Messages before this one are hidden behind a summary, and their figures with them. */
	let visibleFrom = 0;
	let settings: Fields = {};
	/** Whether nothing stands before what was read. */
	let isWhole = false;

	const readSettings = (now: Fields): TranscriptEvent[] => {
		const before = settings;
		settings = now;
		const info = tell({
			provider: firstText(now.providerLock, now.apiProviderLock),
			model: firstText(now.model),
		});
		const answers = messages.filter(({ isAnswer }) => isAnswer);
		const newest = answers.at(-1);
		if (newest === undefined || messages.indexOf(newest) < visibleFrom) return info;
		const previous = answers.length > 1 ? messages.indexOf(answers.at(-2) as ReadMessage) : 0;
		const grown = messages
			.slice(previous, messages.indexOf(newest))
			.reduce((sum, { characters }) => sum + characters, 0);
		const usage = newestUsage(now, before, { isFirst: isWhole && answers.length === 1, grown });
		return usage === undefined ? info : [...info, { t: 'usage', messageId: newest.id, usage }];
	};

	/** All up to the anchor is told by the summary; what came after it stays. */
	const readCompaction = (record: Fields): TranscriptEvent[] => {
		const anchor = firstText(fieldsOf(record.anchorMessage).id);
		const place = messages.findLastIndex(({ id }) => id === anchor || id.startsWith(`${anchor}:`));
		const id = firstText(record.id) ?? `compaction${messages.length}`;
		const summary = summaryMessage(id, asText(record.summaryText), timeOf(record.timestamp));
		const kept = messages.slice(place < 0 ? messages.length : place + 1);
		visibleFrom = messages.length;
		return [
			{ t: 'compaction', replacement: [summary], visibleIds: [id, ...kept.map((message) => message.id)] },
		];
	};

	return {
		push(record) {
			const fields = fieldsOf(record);
			if (fields.type === settingsRecord) return readSettings(fieldsOf(fields.settings));
			if (fields.type === 'compaction_state') return readCompaction(fields);
			isWhole ||= fields.type === 'session_start';
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
