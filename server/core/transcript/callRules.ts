/** How the calls of each agent are read; apart from `agents.ts`, because only an audit needs it. */

import { withoutUndefined } from '../shape.ts';
import { claudeCodeCalls } from './claudeCode/calls.ts';
import { clineCalls } from './cline/calls.ts';
import { codexCalls } from './codex/calls.ts';
import { copilotCallRule } from './copilot/calls.ts';
import { openCodeCalls } from './openCode/calls.ts';
import { piCalls } from './pi/calls.ts';
import type { Agent } from './reading/agent.ts';
import type { CallLog, CallRule } from './reading/calls.ts';

const rules: Readonly<Record<string, CallRule>> = {
	'claude-code': claudeCodeCalls,
	'claude-agent-sdk': claudeCodeCalls,
	codex: codexCalls,
	pi: piCalls,
	openclaw: piCalls,
	opencode: openCodeCalls,
	cline: clineCalls,
	'roo-code': clineCalls,
	'copilot-cli': copilotCallRule,
};

/** Reads calls from the messages of an agent's reader: the answers that have usage figures. */
function callsOfMessages(agent: Agent): CallRule {
	return {
		start(log: CallLog) {
			const reader = agent.start();
			const times = new Map<string, number | undefined>();
			return (record) => {
				for (const event of reader.push(record)) {
					if (event.t === 'info') {
						const { cwd: folder, provider, model } = event.info;
						log.setFacts({ folder, provider, model });
					} else if (event.t === 'compaction') log.recordCompaction();
					else if (event.t === 'usage') {
						log.add(
							withoutUndefined({ id: event.messageId, usage: event.usage, at: times.get(event.messageId) }),
						);
					} else if (event.t === 'message' || event.t === 'replace') {
						const { id, usage, timestamp, role } = event.message;
						if (role === 'assistant') times.set(id, timestamp);
						if (usage !== undefined) log.add(withoutUndefined({ id, usage, at: timestamp }));
					}
				}
			};
		},
	};
}

/** Returns how the calls of an agent are read. */
export function callRuleOf(agent: Agent): CallRule {
	return rules[agent.name] ?? callsOfMessages(agent);
}
