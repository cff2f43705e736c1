/** Names of agents, recordings and agents' compactions. */

/** Names of all agents in `agents.ts`, in its order. Listing them must not load the readers. */
export const agentNames: readonly string[] = [
	'codex',
	'codex-exec',
	'copilot-cli',
	'copilot-chat',
	'droid',
	'openclaw',
	'pi',
	'gemini-cli',
	'kimi-code',
	'antigravity',
	'qwen-code',
	'opencode',
	'claude-code',
	'claude-agent-sdk',
	'grok',
	'cursor',
	'roo-code',
	'cline',
	'vercel-ai-sdk',
	'anthropic-messages',
	'openai-messages',
	'contextd',
];

const recordingPrefix = 'recording:';

/** Returns the path by which a recording is opened like a transcript. */
export function createRecordingPath(recordingId: string): string {
	return `${recordingPrefix}${recordingId}`;
}

/** Returns the id of the recording that a path names; undefined for the path of a file. */
export function parseRecordingPath(path: string): string | undefined {
	return path.startsWith(recordingPrefix) ? path.slice(recordingPrefix.length) : undefined;
}

/** Returns the id of a step that mirrors an agent's own compaction. */
export function createAgentCompactionId(number: number, key: string): string {
	return `agent-compaction-${number}-${key}`;
}

/** Whether a step mirrors an agent's own compaction. */
export function isAgentCompaction(stepId: string): boolean {
	return /^agent-compaction-\d+-/.test(stepId);
}
