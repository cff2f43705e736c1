import type { ContentPart, ToolCall } from '../../../protocol/conversation.ts';
import { type Fields, isFields } from '../../shape.ts';
import { asFields, asList, asText, firstText, readRecordType } from '../../values.ts';
import type { Agent, TranscriptReader } from '../reading/agent.ts';
import { extractTexts, readBlocks, readCalls, toResultContent } from '../reading/blocks.ts';
import { createInfoTracker, type TranscriptEvent } from '../reading/events.ts';
import { createLocation, isWithin, type ProjectNames } from '../reading/locations.ts';
import { createRecordReader, MessageLog } from '../reading/log.ts';

/** Project folders are named after the percent-encoded path. */
const projectNames: ProjectNames = {
	isProject(name, { path }) {
		const folder = decodeFolderName(name);
		return folder !== undefined && isWithin(folder, path);
	},
	isConclusive: true,
};

function decodeFolderName(name: string): string | undefined {
	try {
		return decodeURIComponent(name);
	} catch (error) {
		if (error instanceof URIError) return undefined;
		throw error;
	}
}

/** `chat_history.jsonl` of Grok Build: one message per line with a `type`, without times or usage. */
export const grok: Agent = {
	name: 'grok',
	label: 'Grok',
	recognizes: isGrokRecord,
	createReader: createGrokReader,
	homes: [
		{
			root: createLocation('GROK_HOME', ['.grok'], 'sessions'),
			path: [projectNames, /./, 'chat_history.jsonl'],
		},
	],
};

function isGrokRecord(record: unknown): boolean {
	if (!isFields(record) || record.message !== undefined || record.uuid !== undefined) return false;
	const { type, content } = record;
	switch (type) {
		case 'system':
			return typeof content === 'string' && Object.keys(record).length === 2;
		case 'user':
			return typeof record.prompt_index === 'number' || typeof record.synthetic_reason === 'string';
		case 'assistant':
			return typeof content === 'string' && typeof record.model_id === 'string';
		case 'tool_result':
			return typeof content === 'string' && typeof record.tool_call_id === 'string';
		default:
			return type === 'backend_tool_call' && isFields(record.kind);
	}
}

/** The working folder, as the agent states it to its model. */
const statedFolderPattern = /^Workspace Path: (.{1,4096})$/m;

function createGrokReader(): TranscriptReader {
	const log = new MessageLog();
	const infoEvents = createInfoTracker();
	/** Reasoning whose answer has not been read yet. */
	let thoughts: ContentPart[] = [];

	const addAnswer = (id: string, parts: readonly ContentPart[], calls: ToolCall[]): TranscriptEvent[] => {
		const blocks = { parts: [...thoughts, ...parts], calls, results: [] };
		thoughts = [];
		return log.addBlocks(id, 'assistant', blocks);
	};
	/** Returns reasoning without an answer as a message of its own. */
	const flushThoughts = (id: string): TranscriptEvent[] =>
		thoughts.length === 0 ? [] : addAnswer(`${id}:thought`, [], []);

	const readUser = (record: Fields, id: string): TranscriptEvent[] => {
		const blocks = readBlocks(record.content);
		const injected = typeof record.synthetic_reason === 'string';
		const folderMatch = injected
			? statedFolderPattern.exec(extractTexts(record.content).join('\n').slice(0, 10_000))
			: null;
		return [...infoEvents({ cwd: folderMatch?.[1] }), ...log.addBlocks(id, 'user', blocks, { injected })];
	};

	const readResult = (record: Fields, id: string): TranscriptEvent[] => {
		const content = toResultContent(record.content);
		const images = asList(record.images).flatMap((url) => readBlocks([{ type: 'image', url }]).parts);
		const result = {
			callId: firstText(record.tool_call_id),
			content: images.length === 0 ? content : [...readBlocks(content).parts, ...images],
		};
		return [log.addResult(id, result, {})];
	};

	const readRecord = (record: Fields, id: string): TranscriptEvent[] => {
		switch (record.type) {
			case 'system':
				return log.addBlocks(id, 'system', readBlocks(record.content));
			case 'user':
				return readUser(record, id);
			case 'assistant':
				return [
					...infoEvents({ model: firstText(record.model_id), provider: 'xai' }),
					...addAnswer(id, readBlocks(record.content).parts, readCalls(record.tool_calls)),
				];
			case 'tool_result':
				return readResult(record, id);
			case 'backend_tool_call': {
				const { id: callId, tool_type, action } = asFields(record.kind);
				const name = firstText(tool_type) ?? 'backend_tool';
				return addAnswer(id, [], [{ id: asText(callId), name, args: action ?? {} }]);
			}
			default:
				return [{ t: 'skipped', type: readRecordType(record) }];
		}
	};

	return createRecordReader((record, id) => {
		if (record.type === 'reasoning') {
			const texts = [...extractTexts(record.summary), ...extractTexts(record.content)].filter(Boolean);
			if (texts.length > 0) thoughts.push({ type: 'reasoning', text: texts.join('\n') });
			return [];
		}
		const isAnswer = record.type === 'assistant' || record.type === 'backend_tool_call';
		return [...(isAnswer ? [] : flushThoughts(id)), ...readRecord(record, id)];
	});
}
