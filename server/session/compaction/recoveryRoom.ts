/** The room that a recovery from an overflow makes. */

import type { Policy } from '../../core/compact/policy.ts';
import { recoveryTarget } from '../../core/compact/recoveryTarget.ts';
import { resolvePolicy } from '../../core/compact/resolvePolicy.ts';
import type { State } from '../../core/history/state.ts';
import { readMeter } from '../../core/meter/reading.ts';
import type { CompactResult } from '../../protocol/compact.ts';
import type { ErrorClass } from '../../protocol/overflow.ts';
import type { StatsOverlay } from '../../protocol/stats.ts';
import type { Session } from '../session.ts';
import type { ContextUsage } from '../stats.ts';
import { compact } from './compact.ts';
import { namedWindow } from './overflowLessons.ts';
import type { WorkContext } from './request.ts';

/** A compaction for another try, and where nothing that it could leave would fit, what would have been left. */
export interface Room {
	compaction: CompactResult;
	tooMuch?: string;
}

/** The most tokens that the prompt of the next try may have: the limit, less the answer that is asked for. */
function mostPrompt(found: ErrorClass, { request }: StatsOverlay, { budget, reading }: ContextUsage): number {
	const named = namedWindow(found, reading);
	// Without a figure all that is known is that what was sent is too much.
	if (named === undefined) return Math.min(budget.contextWindow, reading.tokens);
	const output = found.outputTokens ?? request?.maxOutputTokens ?? 0;
	return Math.min(budget.contextWindow, output < named ? named - output : named);
}

/**
 * Why what overflowed cannot be the history, where that is so: as far as it is known the request fits, and by the
 * provider's figure it would not without any history either.
 */
export function foundElsewhere(
	found: ErrorClass,
	overlay: StatsOverlay,
	contextUsage: ContextUsage,
): string | undefined {
	const { promptTokens: prompt = 0 } = found;
	const { tokens, breakdown } = contextUsage.reading;
	const isElsewhere =
		tokens <= contextUsage.budget.available &&
		prompt - breakdown.conversationHistory >= mostPrompt(found, overlay, contextUsage);
	if (!isElsewhere) return undefined;
	return `the provider counted ${prompt} tokens, but all that is known of the request comes to ${tokens} at most: what fills the window is not the history`;
}

/**
 * Makes room for another try of a request that stood so when it was refused, without touching the words of the user where that leaves the request within its budget.
 * What would not fit even then is not done at all.
 */
export async function makeRecoveryRoom(
	session: Session,
	found: ErrorClass,
	overlay: StatsOverlay,
	contextUsage: ContextUsage,
	{ signal, report }: WorkContext,
): Promise<Room> {
	const settings = session.world.settings();
	const { reading, budget, request } = contextUsage;
	const limit = mostPrompt(found, overlay, contextUsage);
	const target = recoveryTarget({ reading, budget, limit, tokenThreshold: settings.tokenThreshold });
	const leaving = async (most: number, cutUserMessages: Policy['cutUserMessages']): Promise<Room> => {
		let tooMuch: string | undefined;
		const refuses = ({ meter, totals }: State): string | undefined => {
			const { tokens } = readMeter(meter, totals, request);
			if (tokens <= most) return undefined;
			tooMuch = `${tokens} tokens would be left, more than the ${most} that fit, so the history stays as it was`;
			return tooMuch;
		};
		const policy = resolvePolicy({ settings, contextWindow: budget.contextWindow, cutUserMessages });
		const compaction = await compact(session, { cause: 'recover', policy, target, refuses, signal, report });
		return { compaction, tooMuch };
	};
	const gentle = await leaving(Math.min(limit, budget.available), 'never');
	const isEnough = gentle.compaction.compacted || gentle.compaction.reasonCode === 'below_target';
	return isEnough ? gentle : leaving(limit, 'when nothing else is left');
}
