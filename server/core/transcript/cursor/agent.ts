import { isFields } from '../../shape.ts';
import { asFields, parseTime, readRecordType } from '../../values.ts';
import type { Agent, TranscriptReader } from '../reading/agent.ts';
import { readBlocks } from '../reading/blocks.ts';
import type { FolderLocation, ProjectNames } from '../reading/locations.ts';
import { createRecordReader, MessageLog } from '../reading/log.ts';
import { createToolRows, readFileToolRules, wholeFileToolRules } from '../reading/tools.ts';

const projectsFolder: FolderLocation = [{ below: ['.cursor', 'projects'] }];

/** Project folders are named after the path. Transcripts do not state the folder in which the agent worked. */
const projectNames: ProjectNames = {
	isProject(name, { path }) {
		const folderName = path
			.replace(/[^a-zA-Z0-9]/g, '-')
			.replace(/^-+/, '')
			.toLowerCase();
		return name.toLowerCase() === folderName;
	},
	isConclusive: true,
};

/** Transcripts of Cursor: Messages API content in an envelope that contains only the role. */
export const cursor: Agent = {
	name: 'cursor',
	label: 'Cursor',
	tools: {
		reads: { readfile: readFileToolRules },
		edits: createToolRows(['editfile', 'searchreplace', 'deletefile'], wholeFileToolRules),
	},
	recognizes(record) {
		const { role, message, type, uuid } = asFields(record);
		const { content } = asFields(message);
		if (role !== 'user' && role !== 'assistant') return false;
		if (type !== undefined || uuid !== undefined) return false;
		return typeof content === 'string' || Array.isArray(content);
	},
	createReader: createCursorReader,
	homes: [
		{
			root: projectsFolder,
			path: [projectNames, 'agent-transcripts', /^[^.]+$/, (session) => `${session}.jsonl`],
		},
		{ root: projectsFolder, path: [projectNames, 'agent-transcripts', /\.jsonl$/] },
	],
};

function createCursorReader(): TranscriptReader {
	const log = new MessageLog();
	const callIds = new Set<string>();
	return createRecordReader((record, id) => {
		const { role, message } = record;
		if (!isFields(message) || (role !== 'user' && role !== 'assistant' && role !== 'system'))
			return [{ t: 'skipped', type: readRecordType(record) }];
		const blocks = readBlocks(message.content);
		for (const call of blocks.calls) if (call.id !== '') callIds.add(call.id);
		// Some calls lost their ids while their results kept them; these results are matched by order.
		for (const result of blocks.results) {
			if (result.callId !== undefined && !callIds.has(result.callId)) result.callId = undefined;
		}
		return log.addBlocks(id, role, blocks, { timestamp: parseTime(record.timestamp) });
	});
}
