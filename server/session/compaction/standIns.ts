/** The ids of the messages that a compaction may make, to stand for what it takes out. */
export function standInIds(compactionId: string): { summary: string; marker: string } {
	return { summary: `summary-${compactionId}`, marker: `truncation-marker-${compactionId}` };
}
