import { computeCacheExpiry } from '../core/cost/cacheExpiry.ts';
import { lookupPrices } from '../core/cost/prices.ts';
import { findPricesByUsage } from '../core/cost/sessionPrices.ts';
import { pickDefined } from '../core/shape.ts';
import {
	computeAgentLimit,
	computeTranscriptEnd,
	detectAgent,
	type TranscriptEnd,
} from '../core/transcript/index.ts';
import { type AgentEnvironment, readAgentSettings } from '../node/transcript/agentEnvironment.ts';
import { findNewestTranscript, type NewestTranscript } from '../node/transcript/discover/newest.ts';
import { readEnds, type TranscriptEnds } from '../node/transcript/ends.ts';
import { readWholeTranscript } from '../node/transcript/wholeTranscript.ts';
import type { CacheExpiry } from '../protocol/stats.ts';
import { rateAgentLimit, type StatusFigures } from './template.ts';

/**
 * Returns the figures of a folder's newest session; undefined if no agent worked there.
 * @param now milliseconds since the epoch
 * @param chosenWindow tokens of the window, if the user states it
 */
export async function measureNewestSession(
	folder: string,
	machine: AgentEnvironment,
	now: number,
	chosenWindow?: number,
): Promise<StatusFigures | undefined> {
	const transcript = await findNewestTranscript(machine, folder);
	return transcript && measureSession(transcript, machine, now, chosenWindow);
}

/**
 * Returns the figures of one session; undefined if it is not a known agent's. Fails with `FileUnreadable`.
 * @param session path and time of the last change
 */
export async function measureSession(
	session: NewestTranscript,
	machine: AgentEnvironment,
	now: number,
	chosenWindow?: number,
): Promise<StatusFigures | undefined> {
	const ends = await readTranscriptEnds(session.path);
	if (ends === undefined) return undefined;
	const { start } = ends;
	const agent = ends.agent.name;
	const { provider = '', model = '', contextWindow, cwd } = ends.end.info;
	const end = computeTranscriptEnd(ends.end, start);
	const { settings, environment } = readAgentSettings(ends.agent.settings, machine, start.info.cwd ?? cwd);
	const limit = computeAgentLimit(agent, {
		provider,
		model,
		chosenWindow,
		statedWindow: contextWindow,
		answeredTokens: end.answeredTokens,
		compactedAt: end.compactedAt,
		environment: { ...machine.environment, ...environment },
		settings,
	});
	const activeAt = end.lastActivityAt ?? session.updatedAt;
	return {
		agent,
		model,
		used: end.tokens,
		limit,
		state: rateAgentLimit(limit, end.tokens, provider, model),
		...pickDefined({ cache: estimateCacheExpiry(end, { provider, model, activeAt }, now) }),
		idleMs: Math.max(0, now - activeAt),
		now,
	};
}

/** Reads files of lines from their end, and others as a whole. */
async function readTranscriptEnds(path: string): Promise<TranscriptEnds | undefined> {
	if (path.endsWith('.jsonl')) return readEnds(path, detectAgent);
	return readWholeTranscript(path, detectAgent);
}

/** Returns when the newest prompt's cache expires. Assumes that the request started when its answer arrived. */
function estimateCacheExpiry(
	{ usage, tokens: nextTokens }: TranscriptEnd,
	{ provider, model, activeAt }: { provider: string; model: string; activeAt: number },
	now: number,
): CacheExpiry | undefined {
	if (usage === undefined || (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0) === 0) return undefined;
	return computeCacheExpiry(now, {
		provider,
		model,
		requests: [{ startedAt: activeAt, usage }],
		nextTokens,
		prices: findPricesByUsage([usage], provider, model),
		inputPrices: lookupPrices(provider, model),
	});
}
