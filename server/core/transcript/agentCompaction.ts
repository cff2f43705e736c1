/** Distinguishes compactions that an agent made from contextd's own. */

/** Returns the id of a step that mirrors an agent's own compaction. */
export function createAgentCompactionId(no: number, key: string): string {
	return `agent-compaction-${no}-${key}`;
}

/** Whether a step mirrors an agent's own compaction. */
export function isAgentCompaction(stepId: string): boolean {
	return /^agent-compaction-\d+-/.test(stepId);
}
