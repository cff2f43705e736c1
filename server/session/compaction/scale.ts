/** A compaction as another provider counts: a call may name one that the session is not of. */

import type { CompactResult } from '../../protocol/compact.ts';
import type { Session } from '../session.ts';
import { type ContextUsage, contextUsageOf } from '../stats.ts';

/** Tokens of a provider's count for one of the session's own; 1 where it counts as the session does. */
export async function scaleOf(session: Session, asked: ContextUsage): Promise<number> {
	const { provider, model } = session.state.info;
	if (asked.provider === provider && asked.model === model) return 1;
	const own = await contextUsageOf(session);
	const [theirs, ours] = [asked, own].map(({ reading }) => reading.breakdown.conversationHistory);
	return theirs && ours ? theirs / ours : 1;
}

/** A result of the session's own scale on another one. */
export function onScale(result: CompactResult, scale: number): CompactResult {
	if (scale === 1) return result;
	const on = (tokens: number): number => Math.round(tokens * scale);
	const tokensBefore = on(result.tokensBefore);
	const tokensAfter = on(result.tokensAfter);
	return {
		...result,
		tokensBefore,
		tokensAfter,
		tokensSaved: tokensBefore - tokensAfter,
		targetTokens: on(result.targetTokens),
		stages: result.stages.map((stage) => ({
			...stage,
			tokensBefore: on(stage.tokensBefore),
			tokensAfter: on(stage.tokensAfter),
		})),
		removed: result.removed.map((one) => ({ ...one, tokens: on(one.tokens) })),
		cache: { ...result.cache, rewrittenTokens: on(result.cache.rewrittenTokens) },
	};
}
