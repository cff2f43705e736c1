/**
 * Names of all agents in `agents.ts`, in its order. In a separate file, so that listing them does not
 * load the readers.
 */
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
