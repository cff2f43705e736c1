import { listTitles } from '../../server/core/compact/summary/headings.ts';

/** A model's summary that passes all checks. */
export const goodSummary = listTitles('neurolink')
	.map((title, index) => `## ${index + 1}. ${title}\n- what was said about it`)
	.join('\n');
