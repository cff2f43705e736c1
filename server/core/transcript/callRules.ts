/** How each agent's calls of models are read. Separate from `agents.ts`, because only an audit needs these rules. */

import { claudeCodeCallRule } from './claudeCode/calls.ts';
import { clineCallRule } from './cline/calls.ts';
import { codexCallRule } from './codex/calls.ts';
import { copilotCallRule } from './copilot/calls.ts';
import { openCodeCallRule } from './openCode/calls.ts';
import { piCallRule } from './pi/calls.ts';
import type { Agent } from './reading/agent.ts';
import type { CallLog, CallRule } from './reading/calls.ts';

const callRules: Readonly<Record<string, CallRule>> = {
	'claude-code': claudeCodeCallRule,
	'claude-agent-sdk': claudeCodeCallRule,
	codex: codexCallRule,
	pi: piCallRule,
	openclaw: piCallRule,
	opencode: openCodeCallRule,
	cline: clineCallRule,
	'roo-code': clineCallRule,
	'copilot-cli': copilotCallRule,
};

/** Returns the rule for agents that `callRules` lacks: each usage in the transcript counts as one call of a model. */
function createMessageCallRule(agent: Agent): CallRule {
	return {
		createReader(log: CallLog) {
			const reader = agent.createReader();
			const times = new Map<string, number | undefined>();
			return (record) => {
				for (const event of reader.push(record)) {
					if (event.t === 'info') {
						const { cwd: folder, provider, model } = event.info;
						log.setFacts({ folder, provider, model });
					} else if (event.t === 'compaction') log.recordCompaction();
					else if (event.t === 'usage') {
						log.add({ id: event.messageId, usage: event.usage, at: times.get(event.messageId) });
					} else if (event.t === 'message' || event.t === 'replace') {
						const { id, usage, timestamp, role } = event.message;
						if (role === 'assistant') times.set(id, timestamp);
						if (usage !== undefined) log.add({ id, usage, at: timestamp });
					}
				}
			};
		},
	};
}

/** Returns how to read an agent's calls of models. */
export function findCallRule(agent: Agent): CallRule {
	return callRules[agent.name] ?? createMessageCallRule(agent);
}
