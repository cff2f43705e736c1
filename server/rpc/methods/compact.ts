import * as z from 'zod';
import * as protocol from '../../protocol/compact.ts';
import { stopAhead } from '../../session/compaction/ahead.ts';
import { prepare } from '../../session/compaction/prepare.ts';
import { previewCompaction } from '../../session/compaction/preview.ts';
import { recover } from '../../session/compaction/recover.ts';
import { type CompactOrder, compactSession, type Watcher } from '../../session/compaction/request.ts';
import { renderHistory } from '../../session/history.ts';
import type { Session } from '../../session/session.ts';
import { statsOf } from '../../session/stats.ts';
import { undo } from '../../session/steps.ts';
import type { SessionStore } from '../../session/store.ts';
import { answers } from '../call/define.ts';
import type { RequestContext, RequestMethod } from '../call/method.ts';
import * as shapes from './shapes.ts';

const ratio = z.number().min(0).max(1).nullish();

const config = z
	.object({
		enablePrune: z.boolean().nullish(),
		enableDeduplicate: z.boolean().nullish(),
		enableSummarize: z.boolean().nullish(),
		enableTruncate: z.boolean().nullish(),
		pruneProtectTokens: shapes.tokens.nullish(),
		pruneMinimumSavings: shapes.tokens.nullish(),
		pruneProtectedTools: z.array(z.string()).nullish(),
		pruneTools: z.array(z.string()).nullish(),
		recentCount: z.number().int().nonnegative().nullish(),
		maxGrowthRatio: z.number().positive().max(1).nullish(),
		summarizationProvider: z.string().nullish(),
		summarizationModel: z.string().nullish(),
		keepRecentRatio: ratio,
		truncationFraction: ratio,
		provider: z.string().nullish(),
	})
	.nullish();

const compact = z.object({
	sessionId: shapes.sessionId,
	config,
	instructions: z.string().nullish(),
	preserve: z.array(z.string()).nullish(),
	targetTokens: shapes.tokens.nullish(),
	dryRun: z.boolean().nullish(),
	format: shapes.format,
	includeMessages: z.boolean().nullish(),
	request: shapes.modelRequest,
	...shapes.workDone,
});

const prepareParams = z.object({
	sessionId: shapes.sessionId,
	request: shapes.modelRequest,
	format: shapes.format,
	...shapes.workDone,
});

const recoverParams = prepareParams.extend({
	error: shapes.providerError,
	attempt: z.number().int().positive().nullish(),
});

/** Reports a compaction's progress under the request's token. */
export function watcherOf(context: RequestContext) {
	context.progress.begin('Compacting context');
	context.progress.report('measuring', 0);
	return {
		signal: context.signal,
		report: (what: string, percentage: number) => context.progress.report(what, percentage),
	};
}

/** The methods that make room and take it back. */
export function compactMethods(store: SessionStore): RequestMethod[] {
	const run = async (session: Session, order: CompactOrder, watcher: Watcher) => {
		stopAhead(session);
		return { result: await compactSession(session, order, watcher), session };
	};
	const tryOut = async (session: Session, order: CompactOrder, watcher: Watcher) => {
		const { result, after } = await previewCompaction(session, order, watcher);
		return { result, session: after };
	};
	return [
		answers(protocol.contextCompact, compact, (params, context) => {
			const { sessionId, includeMessages = true, workDoneToken: _, format: name, dryRun, ...order } = params;
			const format = shapes.formatOf(name);
			return store.run(sessionId, async (session) => {
				const { result, ...left } = await (dryRun ? tryOut : run)(session, order, watcherOf(context));
				if (!result || !includeMessages) return result;
				const { messages, system, warnings } = await renderHistory(left.session, format);
				const told = [...(result.warnings ?? []), ...warnings];
				return {
					...result,
					messages,
					...(system !== undefined && { system }),
					...(told.length > 0 && { warnings: told }),
				};
			});
		}),
		answers(protocol.contextUndo, shapes.session.extend({ compactionId: z.string().nullish() }), (params) =>
			store.run(params.sessionId, async (session) => {
				const undone = await undo(session, params.compactionId);
				return { undone, stats: await statsOf(session) };
			}),
		),
		answers(protocol.contextPrepare, prepareParams, ({ sessionId, request, ...params }, context) => {
			const format = shapes.formatOf(params.format);
			return store.run(sessionId, (session) => prepare(session, { request, format }, watcherOf(context)));
		}),
		answers(
			protocol.contextRecover,
			recoverParams,
			({ sessionId, error, attempt, request, ...params }, context) => {
				const format = shapes.formatOf(params.format);
				return store.run(sessionId, (session) =>
					recover(session, { error, attempt, request, format }, watcherOf(context)),
				);
			},
		),
	];
}
