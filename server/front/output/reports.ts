/** Reports as plain text, for editors. */

import { isFields } from '../../core/shape.ts';
import { agents, findAgentLabel } from '../../core/transcript/agents.ts';
import { isAgentSession } from '../../core/transcript/write/file.ts';
import type { CompactResult } from '../../protocol/compact.ts';
import type { SourcesResult } from '../../protocol/sources.ts';
import type { ContextStats } from '../../protocol/stats.ts';
import { compactView } from './compactView.ts';
import { createLabels, type Labels } from './labels.ts';
import { linesText } from './line.ts';
import { sourcesView } from './sourcesView.ts';
import { statsView } from './statsView.ts';

function labelsOf(messages: readonly unknown[]): Labels {
	const labels = createLabels();
	for (const message of messages) {
		if (isFields(message) && typeof message.id === 'string') labels.add(message.id, message);
	}
	return labels;
}

/** Describes how full a window is, as `contextd stats` does. */
export function usageText({ stats, sources, workspace, messages }: UsageFigures, columns: number): string {
	const report = { ...sources, workspace, usedTokens: stats.estimatedInputTokens };
	const lines = [...statsView(stats, labelsOf(messages), { columns }), ...sourcesView(report, { columns })];
	return linesText(lines, 'plain');
}

interface UsageFigures {
	stats: ContextStats;
	sources: SourcesResult;
	workspace?: string;
	messages: readonly unknown[];
}

/** Describes what a compaction would do, as `contextd compact` does. */
export function previewText({ messages, ...tried }: PreviewedCompaction, columns: number): string {
	return linesText(compactView({ ...tried, labels: labelsOf(messages), output: null }, { columns }), 'plain');
}

interface PreviewedCompaction {
	result: CompactResult;
	before: ContextStats;
	after: ContextStats;
	messages: readonly unknown[];
}

/**
 * Says what a user can do, in the session's folder, about a session that only its agent can change.
 * The first command comes early, because some editors clip a message to one line.
 */
export function mirrorAdvice(agent: string): string {
	const plugin = agents.find(({ name }) => name === agent)?.plugin;
	return [
		`Only ${findAgentLabel(agent)} can change this session.`,
		...(isAgentSession(agent) ? [`For a compacted copy run "contextd export -f ${agent} --place".`] : []),
		...(plugin === undefined
			? []
			: [`To let contextd compact new sessions run "contextd install ${plugin.prefix}".`]),
	].join(' ');
}
