/** Walks through a transcript in the order in which its agent wrote it, and measures after every record. */

import { detectAgent } from '../../server/core/transcript/agents.ts';
import type { TranscriptEvent } from '../../server/core/transcript/reading/events.ts';
import type { AgentEnvironment } from '../../server/node/transcript/agentEnvironment.ts';
import { openSource } from '../../server/node/transcript/openSource.ts';
import { createTranscriptFiles } from '../../server/node/transcriptFiles.ts';
import type { Usage } from '../../server/protocol/conversation.ts';
import type { ContextStats } from '../../server/protocol/stats.ts';
import { readStats } from '../../server/session/stats.ts';
import type { OpenTranscript, TranscriptChunk } from '../../server/session/transcript/reader.ts';
import { silentLogger } from './logger.ts';
import { importerFor, sessionOf } from './transcripts.ts';
import { testWorld } from './world.ts';

/** The events of a record, and the measurements after it. */
export interface WalkStep {
	events: readonly TranscriptEvent[];
	stats: ContextStats;
	/** Tokens of the prompt that the newest message reports; 0 without figures, absent if it is no answer. */
	answered?: number;
}

/** The environment of a machine without settings of agents. */
const emptyMachine: AgentEnvironment = { environment: {}, home: '/nonexistent', platform: process.platform };

/** Follows a transcript record by record, with the agent's settings on a machine, and measures after each record. */
export async function walkTranscript(
	path: string,
	machine: AgentEnvironment = emptyMachine,
): Promise<WalkStep[]> {
	const test = testWorld();
	const files = createTranscriptFiles({ ...machine, cwd: '/' }, silentLogger);
	const { transcript, chunks } = await steppedTranscript(path);
	const importer = importerFor(test, { ...files, open: async () => transcript });
	const steps: WalkStep[] = [];
	for (const { events } of chunks) {
		const { sessionId } = await importer.importTranscript({ path, follow: true });
		const session = await sessionOf(test, sessionId);
		const stats = await readStats(session, session.client);
		if (stats === null) continue;
		const newest = session.state.view.at(-1)?.row;
		const answered = newest?.role === 'assistant' ? promptTokens(newest.usage) : undefined;
		steps.push({ events, stats, ...(answered !== undefined && { answered }) });
	}
	await importer.stopAll();
	return steps;
}

function promptTokens(usage: Usage | undefined): number {
	return usage ? usage.input + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0) : 0;
}

/** Returns the measurements directly before each matching record. */
export function listStatsBefore(
	steps: readonly WalkStep[],
	holds: (step: WalkStep, previous: WalkStep) => boolean,
): ContextStats[] {
	return steps.flatMap((step, index) => {
		const previous = steps[index - 1];
		return previous && holds(step, previous) ? [previous.stats] : [];
	});
}

/** Returns whether a record is a compaction that the agent made by itself. */
export function isOwnCompaction({ events }: WalkStep): boolean {
	return events.some((event) => event.t === 'compaction' && event.trigger !== 'manual');
}

/** Opens a transcript that each read extends by one record. */
async function steppedTranscript(path: string) {
	const source = await openSource(path);
	const records: unknown[] = [];
	for (let batch = await source.next(); batch !== undefined; batch = await source.next()) {
		records.push(...batch.records);
	}
	await source.close();
	const agent = detectAgent(records);
	if (agent === undefined) throw new Error(`${path} is no transcript`);
	const reader = agent.createReader();
	const groups = records.map((record) => reader.push(record));
	// A transcript that is one JSON document counts as a single record.
	const [only = []] = groups;
	const chunks = (groups.length === 1 ? only.map((event) => [event]) : groups).map(
		(events): TranscriptChunk => ({ events, isRestart: false, bytes: 0, badLineCount: 0 }),
	);
	// An import reads to the end, and once more when it begins to follow.
	const waiting = [undefined, ...chunks.flatMap((chunk) => [chunk, undefined])];
	const transcript: OpenTranscript = {
		agent: agent.name,
		path,
		readNext: async () => waiting.shift(),
		watch: () => () => undefined,
		close: async () => undefined,
	};
	return { transcript, chunks };
}
