import type { Usage } from '../../../protocol/conversation.ts';
import { isFields } from '../../shape.ts';
import { asFields, firstText } from '../../values.ts';
import { listDocumentMessages, listMessages } from '../messages/arrays.ts';
import { readMessageRecord } from '../messages/records.ts';
import type { Agent, TranscriptReader } from '../reading/agent.ts';
import { compareDocuments, createInfoTracker, type TranscriptEvent } from '../reading/events.ts';
import { clineInjections } from '../reading/injected.ts';
import { assumeWindow, createLimit, type LimitRule } from '../reading/limit.ts';
import { type CompanionFile, createLocation, type TranscriptHome } from '../reading/locations.ts';
import { MessageLog } from '../reading/log.ts';
import { createToolRows, readFileToolRules, wholeFileToolRules } from '../reading/tools.ts';
import { listUiMessages, matchUsage, readTokenUsage } from './figures.ts';

/** Tokens that Cline keeps free, by the window's size. In any other window: a fifth of it, at most 40,000. */
const clineReserves: Readonly<Record<number, number>> = { 64000: 27_000, 128000: 30_000, 200000: 40_000 };

/** The limit of a Cline task: the window minus the tokens that Cline keeps free (`clineReserves`). */
const clineLimit: LimitRule = (evidence) => {
	const assumedWindow = assumeWindow(evidence);
	const { window } = assumedWindow;
	const reserve = clineReserves[window] ?? Math.min(40_000, window / 5);
	return createLimit(assumedWindow, window - reserve);
};

/** Returns the location of the tasks of an extension derived from Cline. */
export function createTaskHome(extension: string): TranscriptHome {
	return {
		root: { belowUserFolder: ['globalStorage', extension, 'tasks'] },
		path: [/./, 'api_conversation_history.json'],
	};
}

/** The list of messages shown to the user of a task, which contains the token figures. */
export const taskCompanion: CompanionFile = {
	findCompanionName: (transcript) =>
		transcript === 'api_conversation_history.json' ? 'ui_messages.json' : undefined,
	isTranscriptDocument: true,
	combineRecords: ([messages, ...more], uiMessages) =>
		Array.isArray(messages)
			? [{ messages, uiMessages }, ...more]
			: [...(messages === undefined ? [] : [messages])],
};

/** `api_conversation_history.json` of Cline, and the session files of its SDK. */
export const clineTask: Agent = {
	name: 'cline',
	label: 'Cline',
	tools: {
		reads: { readfile: readFileToolRules },
		edits: createToolRows(
			['writetofile', 'editfile', 'searchandreplace', 'replaceinfile', 'insertcontent', 'applydiff'],
			wholeFileToolRules,
		),
		shells: { executecommand: { command: ['command'], folder: ['cwd'] } },
	},
	recognizes: (record) =>
		listUiMessages(record).length > 0 ||
		listMessages(record).some((message) => {
			const { role, ts, content } = asFields(message);
			return typeof role === 'string' && typeof ts === 'number' && content !== undefined;
		}),
	createReader: createClineReader,
	limit: clineLimit,
	startPattern: /^\s*(?:\[\s*\{\s*"role"\s*:|\{\s*"version"\s*:\s*1\b[^[]{0,1000}"messages"\s*:\s*\[)/,
	// Only the first message to the model states the working folder.
	cwdPattern: /Current (?:Working|Workspace) Directory \(([^)\n"]{1,4096})\)/,
	companion: taskCompanion,
	homes: [
		createTaskHome('saoudrizwan.claude-dev'),
		{
			// Session ids start with the time.
			root: [
				{ variable: 'CLINE_SESSION_DATA_DIR', below: [] },
				{ variable: 'CLINE_DATA_DIR', below: ['sessions'] },
				...createLocation('CLINE_DIR', ['.cline'], 'data', 'sessions'),
			],
			path: [/./, (session) => `${session}.messages.json`],
			isSortedByTime: true,
			manifest: { file: (session) => `${session}.json`, folders: ['cwd', 'workspace_root'] },
		},
	],
};

/** Creates a reader for the messages of a task of Cline or an extension derived from it. */
export function createClineReader(): TranscriptReader {
	const infoEvents = createInfoTracker();
	let previousEvents: TranscriptEvent[] = [];
	return {
		push(record) {
			const messages = listDocumentMessages(record);
			if (messages === undefined) return [{ t: 'skipped', type: 'unknown' }];
			const { sessionId, session_id, cwd, model, provider } = asFields(record);
			const info = infoEvents({
				sessionId: firstText(sessionId, session_id),
				cwd: firstText(cwd),
				model: firstText(model),
				provider: firstText(provider),
				...readNewestModel(messages),
			});
			const newEvents = readMessages(messages, matchUsage(messages, listUiMessages(record)));
			const changes = compareDocuments(previousEvents, newEvents);
			previousEvents = newEvents;
			return [...info, ...changes];
		},
	};
}

/** Returns the model of the newest answer, if the message states the model. */
function readNewestModel(messages: readonly unknown[]): { model?: string; provider?: string } {
	const { id, provider } = asFields(
		asFields(messages.findLast((message) => isFields(asFields(message).modelInfo))).modelInfo,
	);
	const model = firstText(id);
	return model === undefined ? {} : { model, provider: firstText(provider) };
}

function readMessages(messages: readonly unknown[], usages: ReadonlyMap<number, Usage>): TranscriptEvent[] {
	const log = new MessageLog(clineInjections);
	/** Ids of the groups that condense or truncate each message. A group hides its messages once its summary or marker exists. */
	const groupIdsByMessage = new Map<string, string[]>();
	const groups = new Set<string>();
	return messages.flatMap((raw, position) => {
		const record = asFields(raw);
		const usage = usages.get(position) ?? readTokenUsage(record.metrics);
		const input = isFields(raw) && usage !== undefined ? { ...raw, usage } : raw;
		const events = readMessageRecord(log, input, log.countRecord());
		const parents = [record.condenseParent, record.truncationParent].filter((one) => typeof one === 'string');
		const group = firstText(record.condenseId, record.truncationId);
		const isReplacement =
			group !== undefined && (record.isSummary === true || record.isTruncationMarker === true);
		const keptIds = isReplacement ? listKeptIds(groupIdsByMessage, groups.add(group)) : [];
		for (const event of events) if (event.t === 'message') groupIdsByMessage.set(event.message.id, parents);
		return isReplacement ? createCompaction(events, keptIds) : events;
	});
}

/** Returns the ids of the messages that none of these groups hides. */
function listKeptIds(
	groupIdsByMessage: ReadonlyMap<string, readonly string[]>,
	groups: ReadonlySet<string>,
): string[] {
	return [...groupIdsByMessage].flatMap(([id, parents]) =>
		parents.some((parent) => groups.has(parent)) ? [] : [id],
	);
}

/** Returns a compaction in which `events`, a summary or a marker, replace all messages except `keptIds`. */
function createCompaction(events: readonly TranscriptEvent[], keptIds: readonly string[]): TranscriptEvent[] {
	const replacement = events.flatMap((event) => {
		if (event.t !== 'message') return [];
		const metadata = { ...event.message.metadata, injected: true, isSummary: true };
		return [{ ...event.message, metadata }];
	});
	return [{ t: 'compaction', replacement, visibleIds: [...keptIds, ...replacement.map(({ id }) => id)] }];
}
