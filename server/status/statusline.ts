import { Failure } from '../core/failure.ts';
import { promptTokens } from '../core/meter/meter.ts';
import { claudeCode } from '../core/transcript/claudeCode/agent.ts';
import { claudeCodeLimit } from '../core/transcript/claudeCode/limit.ts';
import { claudeCodeSettings } from '../core/transcript/claudeCode/settings.ts';
import { type TranscriptEnd, transcriptEnd } from '../core/transcript/end.ts';
import { readAgentSettings } from '../node/transcript/agentSettings/agentSettings.ts';
import type { Surroundings } from '../node/transcript/discover/surroundings.ts';
import { readEnds } from '../node/transcript/ends.ts';
import type { Usage } from '../protocol/conversation.ts';
import { type StatusFigures, stateOf } from './figures.ts';
import { type HookInput, parseHook } from './hook.ts';

const provider = 'anthropic';

/**
 * What the status line of a Claude Code session shows.
 * @param text what Claude Code hands it
 * @param now milliseconds since the epoch
 * @param chosenWindow tokens of the window, where the user states them
 */
export function statuslineFigures(
	text: string,
	around: Surroundings,
	now: number,
	chosenWindow?: number,
): StatusFigures {
	const hook = parseHook(text, now);
	const end = endOf(hook.transcript);
	const { settings, environment } = readAgentSettings(claudeCodeSettings, around, hook.folder);
	const { model, usage } = hook;
	const used = tokensOf(usage, end);
	const limit = claudeCodeLimit({
		provider,
		model,
		chosenWindow,
		statedWindow: hook.window,
		answered: Math.max(end?.answered ?? 0, usage ? promptTokens(usage) : 0),
		compactedAt: end?.compactedAt,
		environment: { ...around.environment, ...environment },
		settings,
	});
	return {
		agent: claudeCode.name,
		model,
		used,
		limit,
		state: stateOf(limit, used, provider, model),
		...(used > 0 && { cold: coldOf(hook, used) }),
		idleMs: end?.lastActivityAt === undefined ? 0 : Math.max(0, now - end.lastActivityAt),
	};
}

/** The end of the transcript; undefined while Claude Code has not written any. */
function endOf(transcript: string | undefined): TranscriptEnd | undefined {
	if (transcript === undefined) return undefined;
	try {
		const ends = readEnds(transcript, (sample) => (claudeCode.detect(sample) ? claudeCode : undefined));
		return ends && transcriptEnd(ends.end, ends.start);
	} catch (error) {
		if (error instanceof Failure && error.kind === 'FileUnreadable') return undefined;
		throw error;
	}
}

/** The agent is ahead of its transcript: an answer of which the transcript knows nothing yet counts by itself. */
function tokensOf(usage: Usage | undefined, end: TranscriptEnd | undefined): number {
	if (usage === undefined) return end?.tokens ?? 0;
	const isKnown = end?.usage !== undefined && promptTokens(end.usage) === promptTokens(usage);
	return isKnown ? end.tokens : promptTokens(usage) + usage.output;
}

function coldOf({ coldTokens, isCold = false }: HookInput, used: number): StatusFigures['cold'] {
	return { tokens: coldTokens ?? used, isCold };
}
