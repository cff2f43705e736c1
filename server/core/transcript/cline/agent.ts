import type { Usage } from '../../../protocol/conversation.ts';
import { isFields, withoutUndefined } from '../../shape.ts';
import { documentMessages, sampleMessages } from '../messages/arrays.ts';
import { messageRecordEvents } from '../messages/records.ts';
import type { Agent, TranscriptReader } from '../reading/agent.ts';
import { createInfoTracker, documentChanges, type TranscriptEvent } from '../reading/events.ts';
import type { CompanionFile, TranscriptHome } from '../reading/home.ts';
import { clineInjections } from '../reading/injected.ts';
import { MessageLog } from '../reading/log.ts';
import { readFileRules, rowForNames, wholeFileRules } from '../reading/tools.ts';
import { fieldsOf, firstText } from '../reading/values.ts';
import { figuresOfAnswers, uiMessagesOf, usageWithCachedInput } from './figures.ts';
import { clineLimit } from './limit.ts';

/** Returns the location of the tasks of an extension derived from Cline. */
export function taskHomeOf(extension: string): TranscriptHome {
	return {
		root: { editorUser: ['globalStorage', extension, 'tasks'] },
		path: [/./, 'api_conversation_history.json'],
	};
}

/** The messages that the user of a task saw, which contain the figures. */
export const taskCompanion: CompanionFile = {
	nameOf: (transcript) => (transcript === 'api_conversation_history.json' ? 'ui_messages.json' : undefined),
	isOfDocument: true,
	records: ([messages, ...more], uiMessages) =>
		Array.isArray(messages)
			? [{ messages, uiMessages }, ...more]
			: [...(messages === undefined ? [] : [messages])],
};

/** `api_conversation_history.json` of Cline, and the session files of its SDK. */
export const clineTask: Agent = {
	name: 'cline',
	label: 'Cline',
	tools: {
		reads: { readfile: readFileRules },
		edits: rowForNames(
			['writetofile', 'editfile', 'searchandreplace', 'replaceinfile', 'insertcontent', 'applydiff'],
			wholeFileRules,
		),
		shells: { executecommand: { command: ['command'], folder: ['cwd'] } },
	},
	detect: (sample) =>
		sample.records.some((record) => uiMessagesOf(record).length > 0) ||
		sampleMessages(sample).some((message) => {
			const { role, ts, content } = fieldsOf(message);
			return typeof role === 'string' && typeof ts === 'number' && content !== undefined;
		}),
	start: clineReader,
	limit: clineLimit,
	beginning: /^\s*(?:\[\s*\{\s*"role"\s*:|\{\s*"version"\s*:\s*1\b[^[]{0,1000}"messages"\s*:\s*\[)/,
	// Only the first message to the model states the working folder.
	cwdPattern: /Current (?:Working|Workspace) Directory \(([^)\n"]{1,4096})\)/,
	companion: taskCompanion,
	homes: [
		taskHomeOf('saoudrizwan.claude-dev'),
		{
			// Ids start with the time.
			root: [
				{ variable: 'CLINE_SESSION_DATA_DIR', below: [] },
				{ variable: 'CLINE_DATA_DIR', below: ['sessions'] },
				{ variable: 'CLINE_DIR', below: ['data', 'sessions'] },
				{ below: ['.cline', 'data', 'sessions'] },
			],
			path: [/./, (session) => `${session}.messages.json`],
			isByTime: true,
			manifest: { file: (session) => `${session}.json`, folders: ['cwd', 'workspace_root'] },
		},
	],
};

/** Creates a reader for the messages of a task of Cline or an extension derived from it. */
export function clineReader(): TranscriptReader {
	const infoEvents = createInfoTracker();
	let previousEvents: TranscriptEvent[] = [];
	return {
		push(record) {
			const messages = documentMessages(record);
			if (messages === undefined) return [{ t: 'skipped', type: 'unknown' }];
			const { sessionId, session_id, cwd, model, provider } = fieldsOf(record);
			const info = infoEvents({
				sessionId: firstText(sessionId, session_id),
				cwd: firstText(cwd),
				model: firstText(model),
				provider: firstText(provider),
				...modelOfNewest(messages),
			});
			const now = readMessages(messages, figuresOfAnswers(messages, uiMessagesOf(record)));
			const changes = documentChanges(previousEvents, now);
			previousEvents = now;
			return [...info, ...changes];
		},
	};
}

/** The model of the newest answer, if its message states it. */
function modelOfNewest(messages: readonly unknown[]): { model?: string; provider?: string } {
	const { id, provider } = fieldsOf(
		fieldsOf(messages.findLast((message) => isFields(fieldsOf(message).modelInfo))).modelInfo,
	);
	const model = firstText(id);
	return model === undefined ? {} : { model, provider: firstText(provider) };
}

function readMessages(messages: readonly unknown[], figures: ReadonlyMap<number, Usage>): TranscriptEvent[] {
	const log = new MessageLog(clineInjections);
	/** Groups that hide each message, and groups that a summary or marker replaces. */
	const tags = new Map<string, string[]>();
	const groups = new Set<string>();
	return messages.flatMap((raw, place) => {
		const record = fieldsOf(raw);
		const metrics = fieldsOf(record.metrics);
		// `inputTokens` is the whole prompt.
		const usage =
			figures.get(place) ??
			usageWithCachedInput(
				metrics.inputTokens,
				metrics.outputTokens,
				metrics.cacheReadTokens,
				metrics.cacheWriteTokens,
			);
		const input = isFields(raw) && usage !== undefined ? { ...raw, usage } : raw;
		const events = messageRecordEvents(log, input, log.nextRecord());
		const parents = [record.condenseParent, record.truncationParent].filter((one) => typeof one === 'string');
		const group = firstText(record.condenseId, record.truncationId);
		const isReplacement =
			group !== undefined && (record.isSummary === true || record.isTruncationMarker === true);
		const kept = isReplacement ? keptIds(tags, groups.add(group)) : [];
		for (const event of events) if (event.t === 'message') tags.set(event.message.id, parents);
		return isReplacement ? toCompaction(events, kept) : events;
	});
}

/** Ids of the messages so far that none of these groups hides. */
function keptIds(tags: ReadonlyMap<string, readonly string[]>, groups: ReadonlySet<string>): string[] {
	return [...tags].flatMap(([id, parents]) => (parents.some((parent) => groups.has(parent)) ? [] : [id]));
}

/** Returns the compaction of a summary or marker, which replaces messages with its tag. */
function toCompaction(events: readonly TranscriptEvent[], kept: readonly string[]): TranscriptEvent[] {
	const replacement = events.flatMap((event) => {
		if (event.t !== 'message') return [];
		const metadata = { ...event.message.metadata, injected: true, isSummary: true };
		return [withoutUndefined({ ...event.message, metadata })];
	});
	return [{ t: 'compaction', replacement, visibleIds: [...kept, ...replacement.map(({ id }) => id)] }];
}
