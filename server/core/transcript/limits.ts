import { agents } from './agents.ts';
import { type AgentLimit, type LimitEvidence, windowLimit } from './reading/limit.ts';

/** Returns the limit of an agent's session; the model's window for an agent without a rule. */
export function agentLimitOf(agent: string, evidence: LimitEvidence): AgentLimit {
	const rule = agents.find(({ name }) => name === agent)?.limit ?? windowLimit;
	return rule(evidence);
}

/** Whether the source is a plain message format without an agent, so that no agent's window applies. */
export function isPlainFormat(agent: string): boolean {
	return agents.find(({ name }) => name === agent)?.isPlainFormat === true;
}
