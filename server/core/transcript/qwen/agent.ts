import type { IdentifiedMessage } from '../../../protocol/conversation.ts';
import { type Fields, isFields } from '../../shape.ts';
import { asFields, asList, firstNumber, firstText, parseTime, readRecordType } from '../../values.ts';
import { geminiCli } from '../gemini/agent.ts';
import { readGeminiParts, readGeminiUsage } from '../gemini/parts.ts';
import type { Agent, TranscriptReader } from '../reading/agent.ts';
import { EventGroups } from '../reading/eventGroups.ts';
import { createInfoTracker, type TranscriptEvent } from '../reading/events.ts';
import { geminiInjections } from '../reading/injected.ts';
import { assumeWindow, createLimit, type LimitRule, readShare } from '../reading/limit.ts';
import { createLocation, type FolderLocation, type ProjectNames } from '../reading/locations.ts';
import { createRecordReader, MessageLog } from '../reading/log.ts';
import { readSettingMembers, type SettingsSource } from '../reading/settings.ts';

/** Share of the window at which chats are compressed, and tokens for the summary and as a buffer. */
const defaultLimits = { share: 0.85, answer: 20_000, buffer: 13_000 };

/**
 * The limit of a Qwen Code session: 85% of the window, or `chatCompression.contextPercentageThreshold` of its
 * settings. In a window above 33,000, the limit is at least 33,000 below the window.
 */
const qwenLimit: LimitRule = (evidence) => {
	const assumedWindow = assumeWindow(evidence);
	const { window } = assumedWindow;
	const { settings = {} } = evidence;
	const compression = asFields(asFields(settings.model).chatCompression ?? settings.chatCompression);
	const share = (readShare(compression.contextPercentageThreshold) ?? defaultLimits.share) * window;
	const maxTokens = window - defaultLimits.answer - defaultLimits.buffer;
	return createLimit(assumedWindow, maxTokens > 0 ? Math.min(share, maxTokens) : share);
};

/** Where Qwen Code stores the share of the window at which it compresses the chat, and how to read it. */
const qwenSettings: SettingsSource = {
	files: [createLocation('QWEN_HOME', ['.qwen'], 'settings.json'), { project: ['.qwen', 'settings.json'] }],
	read: (texts) => readSettingMembers(texts, 'model', ['chatCompression']),
};

/** Project folders are named after the path, with dashes for all characters except letters and digits. */
const projectNames: ProjectNames = {
	isProject: (name, { path }) =>
		name.toLowerCase().startsWith(path.replace(/[^a-zA-Z0-9]/g, '-').toLowerCase()),
	isConclusive: false,
};

const projectsFolder: FolderLocation = [
	{ variable: 'QWEN_RUNTIME_DIR', below: ['projects'] },
	...createLocation('QWEN_HOME', ['.qwen'], 'projects'),
];

/** Chat files of Qwen Code: a tree of Gemini API records, each in one or more lines. */
export const qwenCode: Agent = {
	name: 'qwen-code',
	label: 'Qwen Code',
	tools: geminiCli.tools,
	recognizes(record) {
		const { uuid, sessionId, type, message, systemPayload } = asFields(record);
		if (typeof uuid !== 'string' || typeof sessionId !== 'string') return false;
		if (type === 'system') return isFields(systemPayload);
		return recordTypes.has(type) && Array.isArray(asFields(message).parts);
	},
	createReader: createQwenReader,
	limit: qwenLimit,
	settings: qwenSettings,
	homes: [{ root: projectsFolder, path: [projectNames, 'chats', /\.jsonl$/] }],
	subAgents: {
		homes: [{ root: projectsFolder, path: [projectNames, 'subagents', /./, /^agent-.*\.jsonl$/] }],
		// The lines of a sub-agent have the id of its session.
		findParentSessionId: (path, sessionId) =>
			/[/\\]agent-[^/\\]+\.jsonl$/.test(path) ? sessionId : undefined,
	},
	readInlineSubAgent: (record) =>
		record.isSidechain === true ? { id: firstText(record.agentId) ?? 'sidechain', record } : undefined,
};

const recordTypes = new Set<unknown>(['user', 'assistant', 'tool_result', 'system']);
/** Records outside the conversation, which are not part of the branch. */
const skippedSubtypes = new Set<unknown>(['session_artifact_event', 'session_artifact_snapshot']);
/** User records that no person typed. */
const injectedTypes = new Set<unknown>(['notification', 'background_task_completed', 'cron', 'goal_runtime']);

function createQwenReader(): TranscriptReader {
	const infoEvents = createInfoTracker();
	const groups = new EventGroups();
	/** Records of the current branch, each merged from all its lines so far. */
	let branch: Fields[] = [];
	const positions = new Map<string, number>();
	let isSubAgentFile: boolean | undefined;

	/** If a record continues an older record than the newest one, removes everything after that older record. */
	const branchTo = (parentUuid: unknown): TranscriptEvent[] => {
		const parent = parentUuid === null ? -1 : positions.get(firstText(parentUuid) ?? '');
		if (parent === undefined || parent === branch.length - 1) return [];
		for (const { uuid } of branch.slice(parent + 1)) positions.delete(firstText(uuid) ?? '');
		branch = branch.slice(0, parent + 1);
		return groups.truncate(parent + 1);
	};

	return createRecordReader((record, lineId) => {
		const isSkipped = record.type === 'system' && skippedSubtypes.has(record.subtype);
		if (isSkipped || !recordTypes.has(record.type)) return [{ t: 'skipped', type: readRecordType(record) }];
		isSubAgentFile ??= record.isSidechain === true;
		if (record.isSidechain === true && !isSubAgentFile) return [{ t: 'skipped', type: 'sidechain' }];
		const info = infoEvents(readInfo(record));
		const uuid = firstText(record.uuid) ?? lineId;
		const position = positions.get(uuid);
		if (position !== undefined) {
			const mergedRecord = mergeLines(branch[position] ?? {}, record);
			branch[position] = mergedRecord;
			return [...info, ...groups.put(position, readRecord(mergedRecord, uuid))];
		}
		const rewinds = branchTo(record.parentUuid);
		positions.set(uuid, branch.length);
		branch.push({ ...record, uuid });
		return [...info, ...rewinds, ...groups.put(groups.length, readRecord(record, uuid))];
	});
}

function readInfo(record: Fields) {
	const { customTitle } = asFields(record.systemPayload);
	return {
		sessionId: firstText(record.sessionId),
		cwd: firstText(record.cwd),
		model: firstText(record.model),
		contextWindow: firstNumber(record.contextWindowSize),
		title: record.subtype === 'custom_title' ? firstText(customTitle) : undefined,
	};
}

/** Merges a record with a further line of it: all parts, and the newest usage. */
function mergeLines(record: Fields, line: Fields): Fields {
	const message = asFields(record.message);
	const lineMessage = asFields(line.message);
	const parts = [...asList(message.parts), ...asList(lineMessage.parts)];
	return {
		...record,
		usageMetadata: line.usageMetadata ?? record.usageMetadata,
		...(parts.length > 0 && { message: { ...lineMessage, ...message, parts } }),
	};
}

function readRecord(record: Fields, uuid: string): TranscriptEvent[] {
	// Each record has its own log: when a further line follows, the record is read again with the same ids.
	const log = new MessageLog(geminiInjections);
	if (record.type === 'system') {
		if (record.subtype !== 'chat_compression') return [{ t: 'skipped', type: readRecordType(record) }];
		return readCompression(log, record, uuid);
	}
	if (!isFields(record.message) || record.subtype === 'realtime_message')
		return [{ t: 'skipped', type: readRecordType(record) }];
	const blocks = readGeminiParts(record.message.parts);
	const timestamp = parseTime(record.timestamp);
	if (record.type === 'assistant') {
		const usage = readGeminiUsage(record.usageMetadata);
		return log.addBlocks(uuid, 'assistant', blocks, { usage, timestamp });
	}
	return log.addBlocks(uuid, 'user', blocks, { injected: injectedTypes.has(record.subtype), timestamp });
}

/** After a compression, the model continues from the record's history: a summary and the remaining messages. */
function readCompression(log: MessageLog, record: Fields, uuid: string): TranscriptEvent[] {
	const { compressedHistory, info } = asFields(record.systemPayload);
	const timestamp = parseTime(record.timestamp);
	const replacement = asList(compressedHistory).flatMap((content, index): IdentifiedMessage[] => {
		const { role, parts } = asFields(content);
		const blocks = readGeminiParts(parts);
		const id = index === 0 ? uuid : `${uuid}:${index + 1}`;
		const neutralRole = role === 'model' ? 'assistant' : 'user';
		const events = log.addBlocks(id, neutralRole, blocks, { timestamp });
		return events.flatMap((event) => (event.t === 'message' ? [event.message] : []));
	});
	const [summary] = replacement;
	if (summary === undefined) return [{ t: 'skipped', type: readRecordType(record) }];
	if (summary.role === 'user') summary.metadata = { ...summary.metadata, injected: true, isSummary: true };
	const tokensBefore = firstNumber(asFields(info).originalTokenCount);
	return [{ t: 'compaction', replacement, visibleIds: replacement.map(({ id }) => id), tokensBefore }];
}
