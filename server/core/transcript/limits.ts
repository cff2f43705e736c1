import { agents } from './agents.ts';
import { type AgentLimit, type LimitEvidence, windowLimit } from './reading/limit.ts';

/** The limit of an agent's session; of an agent without a rule, its model's window. */
export function limitOf(agent: string, evidence: LimitEvidence): AgentLimit {
	const rule = agents.find(({ name }) => name === agent)?.limit ?? windowLimit;
	return rule(evidence);
}

/** Whether messages of that origin are in nobody's window but in that of the model they are meant for. */
export function isForm(agent: string): boolean {
	return agents.find(({ name }) => name === agent)?.isForm === true;
}
