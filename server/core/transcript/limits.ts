/** Which rule tells an agent's limit. */

import { claudeCodeLimit } from './claudeCode/limit.ts';
import { codexLimit } from './codex/limit.ts';
import { type AgentLimit, type LimitEvidence, type LimitRule, windowLimit } from './reading/limit.ts';

const rules: Readonly<Record<string, LimitRule>> = {
	'claude-code': claudeCodeLimit,
	'claude-agent-sdk': claudeCodeLimit,
	codex: codexLimit,
	'codex-exec': codexLimit,
};

/** The limit of an agent's session; of an agent without a rule, its model's window. */
export function limitOf(agent: string, evidence: LimitEvidence): AgentLimit {
	return (rules[agent] ?? windowLimit)(evidence);
}
