import type { IdentifiedMessage } from '../../../protocol/conversation.ts';
import { type Fields, isFields } from '../../shape.ts';
import type { Agent, TranscriptReader } from '../reading/agent.ts';
import { contentOf, readBlocks } from '../reading/blocks.ts';
import { infoTeller, type TranscriptEvent } from '../reading/events.ts';
import { eventGroups } from '../reading/groups.ts';
import { type LimitRule, limitAt, provenWindow, shareOf, wholeWindow } from '../reading/limit.ts';
import { messageLog } from '../reading/log.ts';
import { membersOf, type SettingsSource } from '../reading/settings.ts';
import { readFileRules, wholeFile } from '../reading/tools.ts';
import { asText, fieldsOf, firstText, listOf } from '../reading/values.ts';
import { geminiFolder } from './folder.ts';
import { messageKey, readMessage, resultKeeper } from './messages.ts';

/** What Gemini CLI takes for the window of every model but Gemma's. */
const usualWindow = 1_048_576;
/** The share of it at which the chat is compressed before the next prompt, unless it is set. */
const usualShare = 0.5;

/** The limit of a session of Gemini CLI: half of the window, or `model.compressionThreshold` of its settings. */
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
	read: (texts) => membersOf(texts, 'model', ['compressionThreshold']),
};

/** The chat files of Gemini CLI: one JSON document, or since 2026 JSON Lines of the same messages. */
export const geminiCli: Agent = {
	name: 'gemini-cli',
	label: 'Gemini CLI',
	tools: {
		reads: { readfile: readFileRules, readmanyfiles: [{ list: ['paths', 'include'] }] },
		edits: { replace: wholeFile, writefile: wholeFile },
		shells: { runshellcommand: { command: ['command'], folder: ['directory', 'dir_path'] } },
	},
	detect: ({ records }) =>
		records.some((record) => {
			const { sessionId, projectHash, type, id, timestamp } = fieldsOf(record);
			if (typeof sessionId === 'string' && typeof projectHash === 'string') return true;
			return type === 'gemini' && typeof id === 'string' && typeof timestamp === 'string';
		}),
	start: geminiCliReader,
	limit: geminiLimit,
	settings: geminiSettings,
	beginning: /^\s*\{\s*"sessionId"\s*:[^[]{0,1000}"projectHash"\s*:/,
	homes: [
		{
			root: geminiFolder('tmp'),
			path: [
				{ isProject: (name, { digest }) => name === digest, isSure: true, toldBy: '.project_root' },
				'chats',
				/\.jsonl?$/,
			],
		},
	],
};

function geminiCliReader(): TranscriptReader {
	const log = messageLog();
	const tell = infoTeller();
	let groups = eventGroups();
	/** Groups that the agent's newest compression left. */
	let compressed = 0;
	const places = new Map<string, number>();
	let order: string[] = [];
	const results = resultKeeper();
	/** The calls that each record has brought so far. */
	const brought = new Map<string, Set<string>>();

	/** What the compression left, as it reads now; all that stands there is new to the model. */
	const compaction = (): TranscriptEvent[] => {
		compressed = groups.length;
		const replacement = groups.messages().map((message) => {
			const isSummary = message.role === 'user' && isSnapshot(message.content);
			return isSummary
				? { ...message, metadata: { ...message.metadata, injected: true, isSummary } }
				: message;
		});
		if (replacement.length === 0) return [{ t: 'rewind', toMessageId: null }];
		return [{ t: 'compaction', replacement, visibleIds: replacement.map(({ id }) => id) }];
	};
	const take = (raw: Fields, key: string): TranscriptEvent[] => {
		brought.set(key, new Set([...(brought.get(key) ?? []), ...callsIn(raw).map(idOf)]));
		const place = places.get(key);
		if (place !== undefined) {
			const changes = groups.put(place, readMessage(raw, key, results));
			const isWhole = place >= compressed || changes.every(({ t }) => t === 'replace' || t === 'skipped');
			return isWhole ? changes : compaction();
		}
		places.set(key, order.length);
		order.push(key);
		return groups.put(groups.length, readMessage(raw, key, results));
	};
	/** A record by itself. Where an editor drives it, Gemini CLI writes the calls of every turn to that of the first ones. */
	const takeOne = (raw: Fields, key: string): TranscriptEvent[] => {
		const known = brought.get(key);
		const place = places.get(key);
		if (known === undefined || known.size === 0 || place === order.length - 1) return take(raw, key);
		const fresh = callsIn(raw).filter((call) => !known.has(idOf(call)));
		for (const call of fresh) known.add(idOf(call));
		if (fresh.length > 0) return take({ ...raw, toolCalls: fresh }, `${key}:${known.size}`);
		return place === undefined ? [] : take(raw, key);
	};
	const cut = (count: number): TranscriptEvent[] => {
		for (const key of order.slice(count)) {
			places.delete(key);
			results.forget(key);
		}
		order = order.slice(0, count);
		const events = groups.cut(count);
		return count < compressed && events.length > 0 ? compaction() : events;
	};
	const isNewSnapshot = (raw: Fields, index: number): boolean =>
		raw.type === 'user' &&
		!places.has(messageKey(raw, `m${index + 1}`)) &&
		isSnapshot(contentOf(readBlocks(raw.content).parts));
	/** The chat was compressed: the list is what is left of it. */
	const compress = (list: readonly unknown[]): TranscriptEvent[] => {
		cut(0);
		groups = eventGroups();
		compressed = 0;
		for (const [index, raw] of list.filter(isFields).entries()) take(raw, messageKey(raw, `m${index + 1}`));
		return compaction();
	};
	/** The whole list as it is now; what still stands at its place stays. */
	const takeAll = (list: readonly unknown[]): TranscriptEvent[] => {
		const messages = list.filter(isFields);
		const keys = messages.map((raw, index) => messageKey(raw, `m${index + 1}`));
		const parted = order.findIndex((key, index) => key !== keys[index]);
		const events = parted < 0 ? [] : cut(parted);
		for (const [index, raw] of messages.entries()) events.push(...take(raw, keys[index] ?? ''));
		return events;
	};

	return {
		push(record) {
			const line = log.nextRecord();
			if (!isFields(record)) return [{ t: 'skipped', type: 'unknown' }];
			const set = fieldsOf(record.$set);
			const info = tell({
				sessionId: firstText(record.sessionId),
				model: firstText(record.model),
				provider: record.type === 'gemini' || Array.isArray(record.messages) ? 'google' : undefined,
				title: firstText(record.summary, set.summary),
			});
			const list = Array.isArray(record.messages) ? record.messages : set.messages;
			if (Array.isArray(list)) {
				const model = list.map((raw) => fieldsOf(raw).model).findLast((one) => typeof one === 'string');
				const isCompressed = list === set.messages && list.filter(isFields).some(isNewSnapshot);
				const events = isCompressed ? compress(list) : takeAll(list);
				return [...info, ...tell({ model: firstText(model) }), ...events];
			}
			// A rewind drops that message and all after it; to an unknown one it clears the chat.
			if (typeof record.$rewindTo === 'string') return [...info, ...cut(places.get(record.$rewindTo) ?? 0)];
			return typeof record.type === 'string'
				? [...info, ...takeOne(record, messageKey(record, `l${line}`))]
				: info;
		},
	};
}

/** Whether a message is what Gemini CLI puts in the place of all that it compressed. */
function isSnapshot(content: IdentifiedMessage['content']): boolean {
	return typeof content === 'string' && content.trimStart().startsWith('<state_snapshot>');
}

function callsIn({ toolCalls }: Fields): Fields[] {
	return listOf(toolCalls).map(fieldsOf);
}

function idOf({ id }: Fields): string {
	return asText(id);
}
