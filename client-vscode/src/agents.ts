/** The agents whose transcripts are followed, as people call them. */

const names: Readonly<Record<string, string>> = {
	antigravity: 'Antigravity',
	'claude-code': 'Claude Code',
	'claude-agent-sdk': 'Claude Agent SDK',
	cline: 'Cline',
	codex: 'Codex',
	'codex-exec': 'Codex',
	'copilot-cli': 'Copilot CLI',
	cursor: 'Cursor',
	droid: 'Droid',
	'gemini-cli': 'Gemini CLI',
	grok: 'Grok',
	'kimi-code': 'Kimi Code',
	opencode: 'OpenCode',
	'qwen-code': 'Qwen Code',
	'roo-code': 'Roo Code',
};

/** What an agent is called; its own id where that is all that is known. */
export function agentName(agent: string): string {
	return names[agent] ?? agent;
}
