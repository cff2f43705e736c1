import { detectAgent, sampleRecords } from '../core/transcript/agents.ts';
import { type TranscriptEnd, transcriptEnd } from '../core/transcript/end.ts';
import { limitOf } from '../core/transcript/limits.ts';
import type { Agent, TranscriptSample } from '../core/transcript/reading/agent.ts';
import { readAgentSettings } from '../node/transcript/agentSettings/agentSettings.ts';
import { type NewestTranscript, newestTranscript } from '../node/transcript/discover/newest.ts';
import type { Surroundings } from '../node/transcript/discover/surroundings.ts';
import { readEnds, type TranscriptEnds } from '../node/transcript/ends.ts';
import { readWholeTranscript } from '../node/transcript/wholeTranscript.ts';
import { type StatusFigures, stateOf } from './template.ts';

/** Milliseconds for which any provider keeps a cache at most, unless it is asked for more. */
const longestCache = 3_600_000;

/**
 * What is shown of the newest session of a folder; undefined where no agent worked there.
 * @param now milliseconds since the epoch
 * @param chosenWindow tokens of the window, where the user states them
 */
export async function folderFigures(
	folder: string,
	around: Surroundings,
	now: number,
	chosenWindow?: number,
): Promise<StatusFigures | undefined> {
	const found = await newestTranscript(around, folder);
	return found && sessionFigures(found, around, now, chosenWindow);
}

/**
 * What is shown of one session; undefined where it is none of a known agent. Fails with `FileUnreadable`.
 * @param session where it lies, and when it last grew
 */
export async function sessionFigures(
	session: NewestTranscript,
	around: Surroundings,
	now: number,
	chosenWindow?: number,
): Promise<StatusFigures | undefined> {
	const ends = await endsOf(session.path);
	if (ends === undefined) return undefined;
	const { start } = ends;
	const agent = ends.agent.name;
	const { provider = '', model = '', contextWindow, cwd } = ends.end.info;
	const end = transcriptEnd(ends.end, start);
	const { settings, environment } = readAgentSettings(ends.agent.settings, around, start.info.cwd ?? cwd);
	const limit = limitOf(agent, {
		provider,
		model,
		chosenWindow,
		statedWindow: contextWindow,
		answered: end.answered,
		compactedAt: end.compactedAt,
		environment: { ...around.environment, ...environment },
		settings,
	});
	const idleMs = Math.max(0, now - (end.lastActivityAt ?? session.updatedAt));
	return {
		agent,
		model,
		used: end.tokens,
		limit,
		state: stateOf(limit, end.tokens, provider, model),
		...(isCached(end) && { cold: { tokens: end.tokens, isCold: idleMs > longestCache } }),
		idleMs,
	};
}

/** Files of lines are read from their end, others as a whole. */
async function endsOf(path: string): Promise<TranscriptEnds | undefined> {
	if (path.endsWith('.jsonl')) return readEnds(path, detect);
	return readWholeTranscript(path, detect);
}

function detect({ records }: TranscriptSample): Agent | undefined {
	return detectAgent({ records: records.slice(0, sampleRecords) });
}

function isCached({ usage }: TranscriptEnd): boolean {
	return (usage?.cacheRead ?? 0) + (usage?.cacheWrite ?? 0) > 0;
}
