import { isFields } from '../../shape.ts';
import { asFields, firstText } from '../../values.ts';
import type { Agent } from '../reading/agent.ts';
import { createLocation, type ProjectNames } from '../reading/locations.ts';
import { bashRule, readToolRules, wholeFileToolRules } from '../reading/tools.ts';
import { claudeCodeLimit, claudeCodeSettings } from './limit.ts';
import { ClaudeLineReader } from './lines.ts';

/** Claude Code truncates longer folder names to this length and appends a digest. */
const maxFolderNameLength = 200;

/** Project folders are named after the path, with dashes for all characters except letters and digits. */
const projectNames: ProjectNames = {
	isProject(name, { path }) {
		const folderName = path.replace(/[^a-zA-Z0-9]/g, '-').slice(0, maxFolderNameLength);
		return name === folderName || name.startsWith(`${folderName}-`);
	},
	isConclusive: false,
};

const projectsFolder = createLocation('CLAUDE_CONFIG_DIR', ['.claude'], 'projects');

/** Session files of Claude Code: JSON Lines of records linked by `uuid` and `parentUuid`. */
export const claudeCode: Agent = {
	name: 'claude-code',
	label: 'Claude Code',
	tools: {
		reads: { read: readToolRules },
		edits: {
			edit: wholeFileToolRules,
			multiedit: wholeFileToolRules,
			write: wholeFileToolRules,
			notebookedit: [{ path: ['notebook_path'] }],
		},
		shells: { bash: bashRule },
	},
	recognizes(record) {
		if (!isFields(record)) return false;
		if (record.type === 'file-history-snapshot') return isFields(record.snapshot);
		if (record.type === 'summary') return typeof record.leafUuid === 'string';
		const { message } = record;
		const isTurn = record.type === 'user' || record.type === 'assistant';
		if (!isTurn || !isFields(message) || message.parts !== undefined) return false;
		return typeof record.sessionId === 'string' || typeof record.parentUuid === 'string';
	},
	createReader: (head) => new ClaudeLineReader(head),
	limit: claudeCodeLimit,
	settings: claudeCodeSettings,
	plugin: { prefix: 'claude', findSessionId: (path) => /(?:^|[/\\])([^/\\]+)\.jsonl$/.exec(path)?.[1] },
	homes: [{ root: projectsFolder, path: [projectNames, /^(?!agent-).*\.jsonl$/] }],
	subAgents: {
		// Older versions store sub-agents next to the sessions, newer ones in a folder of each session.
		homes: [
			{ root: projectsFolder, path: [projectNames, /^agent-.*\.jsonl$/] },
			{ root: projectsFolder, path: [projectNames, /^[^.]+$/, 'subagents', /^agent-.*\.jsonl$/] },
			{
				root: projectsFolder,
				path: [projectNames, /^[^.]+$/, 'subagents', 'workflows', /./, /^agent-.*\.jsonl$/],
			},
		],
		// The lines of a sub-agent have the id of its session.
		findParentSessionId: (path, sessionId) =>
			/[/\\]agent-[^/\\]+\.jsonl$/.test(path) ? sessionId : undefined,
	},
	// Older versions write all sub-agents into the session's transcript.
	readInlineSubAgent: (record) =>
		record.isSidechain === true ? { id: firstText(record.agentId) ?? 'sidechain', record } : undefined,
	outputs: {
		homes: [{ root: projectsFolder, path: [projectNames, /^[^.]+$/, 'tool-results', /\.(?:txt|json)$/] }],
		findSessionId: (path) => /[/\\]([^/\\]+)[/\\]tool-results[/\\][^/\\]+$/.exec(path)?.[1],
		// The file's name is the id of the call.
		createRecord: (name, content) => ({
			type: 'user',
			uuid: name,
			message: {
				role: 'user',
				content: [{ type: 'tool_result', tool_use_id: name.replace(/\.[a-z]+$/, ''), content }],
			},
		}),
	},
};

/** The `stream-json` output of the Claude Agent SDK and of `claude -p`. */
export const claudeAgentSdk: Agent = {
	name: 'claude-agent-sdk',
	label: 'Claude Agent SDK',
	recognizes(record) {
		const { type, subtype, session_id, message } = asFields(record);
		if (typeof session_id !== 'string') return false;
		if (type === 'system' && subtype === 'init') return true;
		return (type === 'user' || type === 'assistant') && isFields(message);
	},
	createReader: (head) => new ClaudeLineReader(head),
	limit: claudeCodeLimit,
};
