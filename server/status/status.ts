import { detectAgent, sampleRecords } from '../core/transcript/agents.ts';
import { type TranscriptEnd, transcriptEnd } from '../core/transcript/end.ts';
import { limitOf } from '../core/transcript/limits.ts';
import type { Agent, TranscriptSample } from '../core/transcript/reading/agent.ts';
import { readAgentSettings } from '../node/transcript/agentSettings/agentSettings.ts';
import { type NewestTranscript, newestTranscript } from '../node/transcript/discover/newest.ts';
import type { Surroundings } from '../node/transcript/discover/surroundings.ts';
import { readEnds, type TranscriptEnds } from '../node/transcript/ends.ts';
import { readWholeTranscript } from '../node/transcript/wholeTranscript.ts';
import { rateAgentLimit, type StatusFigures } from './template.ts';

/** Maximum milliseconds that any provider caches a prompt, unless a longer time is requested. */
const maxCacheMs = 3_600_000;

/**
 * The figures of a folder's newest session; undefined if no agent worked there.
 * @param now milliseconds since the epoch
 * @param chosenWindow tokens of the window, if the user states it
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
 * The figures of one session; undefined if it is not a known agent's. Fails with `FileUnreadable`.
 * @param session path and time of the last change
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
		state: rateAgentLimit(limit, end.tokens, provider, model),
		...(isCached(end) && { cold: { tokens: end.tokens, isCold: idleMs > maxCacheMs } }),
		idleMs,
	};
}

/** Reads files of lines from their end, and others as a whole. */
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
