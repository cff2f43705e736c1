/** Writes reports as plain text, for editors. */

import { agents, findAgentLabel, isAgentSession } from '../../core/transcript/index.ts';
import type { CompactResult } from '../../protocol/compact.ts';
import type { SourcesResult } from '../../protocol/sources.ts';
import type { ContextStats } from '../../protocol/stats.ts';
import { renderCompaction } from './compactView.ts';
import { MessageLabels } from './labels.ts';
import { formatLines } from './line.ts';
import { renderSources } from './sourcesView.ts';
import { renderStats } from './statsView.ts';

/** Describes how full a window is, as `contextd stats` does. */
export function writeUsage({ stats, sources, workspace, messages }: UsageFigures, columns: number): string {
	const report = { ...sources, workspace, usedTokens: stats.estimatedInputTokens };
	const lines = [
		...renderStats(stats, new MessageLabels(messages), columns),
		...renderSources(report, columns),
	];
	return formatLines(lines, 'plain');
}

interface UsageFigures {
	stats: ContextStats;
	sources: SourcesResult;
	workspace?: string;
	messages: readonly unknown[];
}

/** Describes what a compaction would do, as `contextd compact` does. */
export function writeCompaction({ messages, ...tried }: PreviewedCompaction, columns: number): string {
	return formatLines(
		renderCompaction({ ...tried, labels: new MessageLabels(messages), output: null }, columns),
		'plain',
	);
}

interface PreviewedCompaction {
	result: CompactResult;
	before: ContextStats;
	after: ContextStats;
	messages: readonly unknown[];
}

/**
 * Returns advice for a session that only its agent can change; its commands run in the session's folder. The first
 * command comes early, because some editors clip a message to one line.
 */
export function adviseOnMirror(agent: string): string {
	const plugin = agents.find(({ name }) => name === agent)?.plugin;
	return [
		`Only ${findAgentLabel(agent)} can change this session.`,
		...(isAgentSession(agent) ? [`For a compacted copy run "contextd export -f ${agent} --place".`] : []),
		...(plugin === undefined
			? []
			: [`To let contextd compact new sessions run "contextd install ${plugin.prefix}".`]),
	].join(' ');
}
