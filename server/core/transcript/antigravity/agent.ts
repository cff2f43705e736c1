import type { ContentPart, ToolCall } from '../../../protocol/conversation.ts';
import { parseArgumentsJson } from '../../format/wire/arguments.ts';
import type { Fields } from '../../shape.ts';
import { asFields, firstText, parseTime, readRecordType } from '../../values.ts';
import { createGeminiLocation } from '../gemini/agent.ts';
import type { Agent, TranscriptReader } from '../reading/agent.ts';
import { readBlocks, readCalls, toResultContent } from '../reading/blocks.ts';
import { createInfoTracker, type TranscriptEvent } from '../reading/events.ts';
import { createRecordReader, createSummaryMessage, MessageLog } from '../reading/log.ts';
import { createToolRows, readFileToolRules, wholeFileToolRules } from '../reading/tools.ts';

/** Transcripts of Antigravity: numbered steps of the user, the model and its tools. */
export const antigravity: Agent = {
	name: 'antigravity',
	label: 'Antigravity',
	tools: {
		reads: { viewfile: readFileToolRules },
		edits: createToolRows(
			['writetofile', 'replacefilecontent', 'multireplacefilecontent'],
			wholeFileToolRules,
		),
		shells: { runcommand: { command: ['command'], folder: ['cwd'] } },
	},
	recognizes(record) {
		const { step_index, type, source } = asFields(record);
		return typeof step_index === 'number' && typeof type === 'string' && typeof source === 'string';
	},
	createReader: createAntigravityReader,
	// The editor and the terminal program. Each keeps all sessions in one folder.
	homes: ['antigravity', 'antigravity-cli'].map((program) => ({
		root: createGeminiLocation(program, 'brain'),
		path: [/./, '.system_generated', 'logs', 'transcript.jsonl'],
	})),
};

/** Matches the note that the user selected another model; its first group is the model's name. */
const modelSelectionPattern = /Model Selection`? from [^\n]{1,200}? to ([^\n]{1,200}?)\.?$/m;

function createAntigravityReader(): TranscriptReader {
	const log = new MessageLog();
	const infoEvents = createInfoTracker();
	let isFolderKnown = false;

	/** Returns an event with the working folder if these calls are the first that name a folder. */
	const reportFolder = (calls: readonly ToolCall[]): TranscriptEvent[] => {
		if (isFolderKnown) return [];
		const folders = calls.map(({ args }) => firstText(asFields(args).Cwd, asFields(args).DirectoryPath));
		const cwd = folders.find((folder) => folder !== undefined);
		isFolderKnown = cwd !== undefined;
		return infoEvents({ cwd });
	};

	const readResult = (record: Fields, type: string, id: string): TranscriptEvent[] => {
		const call = log.matchResult(undefined);
		const result = {
			callId: call.callId,
			toolName: call.toolName ?? type.toLowerCase(),
			content: toResultContent(record.content),
			isError: record.status === 'ERROR' || undefined,
		};
		return [log.addResult(id, result, { timestamp: parseTime(record.created_at) })];
	};

	const readCheckpoint = (record: Fields, id: string): TranscriptEvent[] => {
		const { message } = log.add(
			createSummaryMessage(id, toResultContent(record.content), parseTime(record.created_at)),
		);
		return [{ t: 'compaction', replacement: [message], visibleIds: [message.id] }];
	};

	const readStep = (record: Fields, type: string, id: string): TranscriptEvent[] => {
		const timestamp = parseTime(record.created_at);
		const content = readBlocks(record.content);
		const isEmpty = record.content === undefined || record.content === '';
		switch (type) {
			case 'USER_INPUT': {
				const [, model] = modelSelectionPattern.exec(firstText(record.content)?.slice(-10_000) ?? '') ?? [];
				return [...infoEvents({ model }), ...log.addBlocks(id, 'user', content, { timestamp })];
			}
			case 'PLANNER_RESPONSE': {
				const thinking = firstText(record.thinking);
				const thought: ContentPart[] = thinking === undefined ? [] : [{ type: 'reasoning', text: thinking }];
				const calls = readCalls(record.tool_calls).map(parseArguments);
				const blocks = { parts: [...thought, ...content.parts], calls, results: [] };
				return [...reportFolder(calls), ...log.addBlocks(id, 'assistant', blocks, { timestamp })];
			}
			case 'CHECKPOINT':
				return isEmpty ? [{ t: 'skipped', type }] : readCheckpoint(record, id);
			default:
				if (isEmpty) return [{ t: 'skipped', type }];
				if (record.source === 'MODEL') return readResult(record, type, id);
				return log.addBlocks(id, 'user', content, { injected: true, timestamp });
		}
	};

	return createRecordReader((record, id) => {
		const { type, step_index } = record;
		return typeof type === 'string' && typeof step_index === 'number'
			? readStep(record, type, id)
			: [{ t: 'skipped', type: readRecordType(record) }];
	});
}

/** Parses the arguments of a call, which are separate JSON texts. */
function parseArguments({ args, ...call }: ToolCall): ToolCall {
	const parsed = Object.entries(asFields(args)).map(([name, arg]) => [
		name,
		typeof arg === 'string' ? parseArgumentsJson(arg) : arg,
	]);
	return { ...call, args: Object.fromEntries(parsed) };
}
