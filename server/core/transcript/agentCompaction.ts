/** How the compactions that an agent made by itself are told from contextd's own. */

/** The id of a step that mirrors an agent's own compaction. */
export function agentCompactionId(no: number, key: string): string {
	return `agent-compaction-${no}-${key}`;
}

/** Whether a step is such a compaction. */
export function isAgentCompaction(stepId: string): boolean {
	return /^agent-compaction-\d+-/.test(stepId);
}
