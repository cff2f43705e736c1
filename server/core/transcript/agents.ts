import { antigravity } from './antigravity/agent.ts';
import { claudeAgentSdk, claudeCode } from './claudeCode/agent.ts';
import { clineTask } from './cline/agent.ts';
import { codexExec } from './codex/exec.ts';
import { codexRollout } from './codex/rollout.ts';
import { copilotCli } from './copilot/agent.ts';
import { copilotChat } from './copilotChat/agent.ts';
import { cursor } from './cursor/agent.ts';
import { droidSession } from './droid/agent.ts';
import { geminiCli } from './gemini/agent.ts';
import { grok } from './grok/agent.ts';
import { kimiCode } from './kimi/agent.ts';
import { anthropicMessages, contextdMessages, openAiMessages, vercelMessages } from './messages/arrays.ts';
import { openClaw } from './openClaw/agent.ts';
import { openCode } from './openCode/agent.ts';
import { piSession } from './pi/agent.ts';
import { qwenCode } from './qwen/agent.ts';
import type { Agent } from './reading/agent.ts';
import { type AgentLimit, assumeWindow, createWindowLimit, type LimitEvidence } from './reading/limit.ts';
import { rooTask } from './roo/agent.ts';

/** All known agents. If a transcript matches several agents, the first one applies. */
export const agents: readonly Agent[] = [
	codexRollout,
	codexExec,
	copilotCli,
	copilotChat,
	droidSession,
	openClaw,
	piSession,
	geminiCli,
	kimiCode,
	antigravity,
	qwenCode,
	openCode,
	claudeCode,
	claudeAgentSdk,
	grok,
	cursor,
	rooTask,
	clineTask,
	vercelMessages,
	anthropicMessages,
	openAiMessages,
	contextdMessages,
];

/** Returns an agent's display name; its internal name if the agent is unknown. */
export function findAgentLabel(name: string): string {
	return agents.find((agent) => agent.name === name)?.label ?? name;
}

/** Number of records at the start of a file among which at least one shows which agent wrote it. */
export const sampleRecordCount = 50;

/** Returns the agent that recognizes one of the first records of its transcript; undefined if none does. */
export function detectAgent(records: readonly unknown[]): Agent | undefined {
	const sample = records.slice(0, sampleRecordCount);
	return agents.find((agent) => sample.some((record) => agent.recognizes(record)));
}

/** Returns the limit of an agent's session; the model's window for an agent without a rule. */
export function computeAgentLimit(agent: string, evidence: LimitEvidence): AgentLimit {
	const rule = agents.find(({ name }) => name === agent)?.limit;
	return rule ? rule(evidence) : createWindowLimit(assumeWindow(evidence));
}

/** Whether an agent's name is that of a plain message format, to which no agent's window applies. */
export function isPlainFormat(agent: string): boolean {
	return agents.find(({ name }) => name === agent)?.isPlainFormat === true;
}

/**
 * Returns the agent whose plugin sends a session's messages, by the session's id; undefined if none does. The ids are
 * `claude:<session>`, `opencode:<session>`, `pi:<session>`, and `claude:<session>/<agent>` for the agents that such a
 * session starts. These are contextd's own sessions and mirror no transcript.
 */
export function findPluginAgent(sessionId: string): Agent | undefined {
	return agents.find(({ plugin }) => plugin && sessionId.startsWith(`${plugin.prefix}:`));
}

/** The session to which a plugin would send the messages of a transcript. The session may not exist. */
export interface PluginSession {
	agent: string;
	sessionId: string;
}

/** Returns the sessions to which plugins would send a transcript's messages, by its path; at most one per agent. */
export function listPluginSessions(path: string): PluginSession[] {
	return agents.flatMap(({ name, plugin }) => {
		const session = plugin?.findSessionId(path);
		return plugin && session !== undefined ? [{ agent: name, sessionId: `${plugin.prefix}:${session}` }] : [];
	});
}
