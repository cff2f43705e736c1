import * as z from 'zod/mini';
import { parseExportFormat } from '../../core/transcript/index.ts';
import * as protocol from '../../protocol/compact.ts';
import { contextExport } from '../../protocol/transcript.ts';
import type { ClientContext } from '../../session/clientContext.ts';
import { exportHistory } from '../../session/compaction/export.ts';
import { cancelPrefetch } from '../../session/compaction/prefetch.ts';
import { prepareHistory } from '../../session/compaction/prepare.ts';
import { previewCompaction, refuseTooLargeUndo } from '../../session/compaction/preview.ts';
import { recoverFromError } from '../../session/compaction/recover.ts';
import { compactSession, type TaskContext } from '../../session/compaction/request.ts';
import { renderHistory } from '../../session/history.ts';
import { readStats } from '../../session/stats.ts';
import { undoStep } from '../../session/steps.ts';
import type { SessionStore } from '../../session/store/store.ts';
import { type CallContext, createSessionDefiner, type RequestMethod } from '../call/define.ts';
import { objectSchema } from '../call/object.ts';
import { createCompactionConfirmation } from '../clientModel.ts';
import * as shapes from './shapes.ts';

const ratioSchema = z.optional(z.number().check(z.minimum(0), z.maximum(1)));

const configSchema = z.optional(
	objectSchema({
		enablePrune: shapes.flagSchema,
		enableDeduplicate: shapes.flagSchema,
		enableSummarize: shapes.flagSchema,
		enableTruncate: shapes.flagSchema,
		pruneProtectTokens: z.optional(shapes.tokensSchema),
		pruneMinimumSavings: z.optional(shapes.tokensSchema),
		pruneProtectedTools: shapes.textsSchema,
		pruneTools: shapes.textsSchema,
		maxToolOutputChars: z.optional(z.int().check(z.nonnegative())),
		recentCount: z.optional(z.int().check(z.nonnegative())),
		maxGrowthRatio: z.optional(z.number().check(z.positive(), z.maximum(1))),
		keepRecentRatio: ratioSchema,
		provider: shapes.textSchema,
		truncationFraction: ratioSchema,
		dropReasoning: shapes.flagSchema,
		dropImages: shapes.flagSchema,
		summarizationProvider: shapes.textSchema,
		summarizationModel: shapes.textSchema,
	}),
);

const messageRange = z.optional(objectSchema({ from: z.string(), to: z.string() }));

/** Files and commands whose outdated results are cleared. */
const freeSchema = z.optional(objectSchema({ uris: shapes.textsSchema, commands: shapes.textsSchema }));

const compactParams = objectSchema({
	sessionId: shapes.sessionIdSchema,
	config: configSchema,
	instructions: shapes.textSchema,
	preserve: shapes.textsSchema,
	targetTokens: z.optional(shapes.tokensSchema),
	threshold: ratioSchema,
	range: messageRange,
	free: freeSchema,
	dryRun: shapes.flagSchema,
	format: shapes.formatSchema,
	includeMessages: shapes.flagSchema,
	request: shapes.modelRequestSchema,
	...shapes.workDoneSchema,
});

const undoParams = objectSchema({
	sessionId: shapes.sessionIdSchema,
	compactionId: shapes.textSchema,
	isRestore: shapes.flagSchema,
});

const prepareParams = objectSchema({
	sessionId: shapes.sessionIdSchema,
	request: shapes.modelRequestSchema,
	targetTokens: z.optional(shapes.tokensSchema),
	format: shapes.formatSchema,
	held: z.optional(shapes.tokensSchema),
	...shapes.workDoneSchema,
});

const recoverParams = objectSchema({
	sessionId: shapes.sessionIdSchema,
	error: shapes.providerErrorSchema,
	attempt: z.optional(z.int().check(z.positive())),
	request: shapes.modelRequestSchema,
	format: shapes.formatSchema,
	...shapes.workDoneSchema,
});

const exportParams = objectSchema({
	sessionId: shapes.sessionIdSchema,
	format: z.pipe(z.string(), z.transform(parseExportFormat)),
	compact: shapes.flagSchema,
	targetTokens: z.optional(shapes.tokensSchema),
	free: freeSchema,
	cwd: shapes.textSchema,
	agentProvider: shapes.textSchema,
	...shapes.workDoneSchema,
});

/** Begins to report progress under the request's token; returns the context in which to run the compaction. */
export function beginCompactionProgress(client: ClientContext, context: CallContext): TaskContext {
	context.progress.begin('Compacting context');
	context.progress.report('measuring', 0);
	return {
		client,
		signal: context.signal,
		report: (step: string, percentage: number) => context.progress.report(step, percentage),
	};
}

/**
 * Returns the methods that compact a session, undo compactions, and export a history.
 * @param shouldConfirm whether the client wants to confirm automatic compactions
 */
export function createCompactMethods(
	store: SessionStore,
	client: ClientContext,
	shouldConfirm: () => boolean,
): RequestMethod[] {
	const onSession = createSessionDefiner(store, client);
	const run: typeof previewCompaction = async (session, options, taskContext) => {
		cancelPrefetch(session);
		return { result: await compactSession(session, options, taskContext), after: session };
	};
	return [
		onSession(protocol.contextCompact, compactParams, async (session, params, context) => {
			const { includeMessages = true, format, dryRun, ...options } = params;
			const taskContext = beginCompactionProgress(client, context);
			const { result, after } = await (dryRun ? previewCompaction : run)(session, options, taskContext);
			if (!result || !includeMessages) return result;
			const { revision } = after.state;
			const { messages, system, warnings } = await renderHistory(after, format);
			const allWarnings = [...(result.warnings ?? []), ...warnings];
			return {
				...result,
				revision,
				messages,
				system,
				...(allWarnings.length > 0 && { warnings: allWarnings }),
			};
		}),
		onSession(protocol.contextUndo, undoParams, async (session, { compactionId, isRestore }) => {
			await refuseTooLargeUndo(session, client, compactionId);
			const undone = await undoStep(session, client, compactionId, isRestore);
			return { undone, stats: await readStats(session, client) };
		}),
		onSession(protocol.contextPrepare, prepareParams, (session, params, context) => {
			const askToCompact = shouldConfirm() ? createCompactionConfirmation(context.client) : undefined;
			return prepareHistory(session, params, { ...beginCompactionProgress(client, context), askToCompact });
		}),
		onSession(protocol.contextRecover, recoverParams, (session, params, context) =>
			recoverFromError(session, params, beginCompactionProgress(client, context)),
		),
		onSession(contextExport, exportParams, (session, params, context) =>
			exportHistory(session, params, beginCompactionProgress(client, context)),
		),
	];
}
