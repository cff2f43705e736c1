import * as z from 'zod/mini';
import type { CompactResult } from '../../protocol/compact.ts';
import { contextReport, type ReportResult } from '../../protocol/report.ts';
import type { SourcesResult } from '../../protocol/sources.ts';
import type { ContextStats } from '../../protocol/stats.ts';
import type { ClientContext } from '../../session/clientContext.ts';
import { previewCompaction } from '../../session/compaction/preview.ts';
import type { TaskContext } from '../../session/compaction/request.ts';
import { renderHistory } from '../../session/history.ts';
import type { Session } from '../../session/session.ts';
import { listSources } from '../../session/sources/sources.ts';
import { readStats } from '../../session/stats.ts';
import type { SessionStore } from '../../session/store/store.ts';
import { createSessionDefiner, type RequestMethod } from '../call/define.ts';
import { objectSchema } from '../call/object.ts';
import { beginCompactionProgress } from './compact.ts';
import * as shapes from './shapes.ts';

/** A trial compaction on a copy of a session, with stats before and after, and the session's messages. */
export interface CompactionTrial {
	result: CompactResult;
	before: ContextStats;
	after: ContextStats;
	messages: readonly unknown[];
}

/** The stats and sources of a session, with the messages that they name. */
export interface UsageToDescribe {
	stats: ContextStats;
	sources: SourcesResult;
	/** URI of the folder to which paths are relative. */
	workspace?: string;
	messages: readonly unknown[];
}

/** Writes reports as plain text, `columns` wide. */
export interface ReportWriter {
	writeUsage(usage: UsageToDescribe, columns: number): string;
	writeCompaction(trial: CompactionTrial, columns: number): string;
}

const paramsSchema = objectSchema({
	sessionId: shapes.sessionIdSchema,
	about: z.optional(z.enum(['usage', 'compaction'])),
	columns: z.optional(z.int().check(z.minimum(20), z.maximum(500))),
});

const defaultColumns = 80;
const emptyText = 'The session has no messages yet.\n';

/** Returns the method that describes a session as text. */
export function createReportMethod(
	store: SessionStore,
	client: ClientContext,
	writer: ReportWriter,
): RequestMethod {
	async function describeUsage(session: Session, columns: number): Promise<ReportResult> {
		const stats = await readStats(session, client);
		if (stats === null) return { text: emptyText };
		const messageIds = stats.largest.map(({ messageId }) => messageId);
		const { messages } = await renderHistory(session, 'contextd', { messageIds });
		const { workspace } = session.state.info;
		const sources = await listSources(session, client);
		return { text: writer.writeUsage({ stats, sources, workspace, messages }, columns) };
	}

	async function describeCompaction(
		session: Session,
		columns: number,
		context: TaskContext,
	): Promise<ReportResult> {
		const before = await readStats(session, client);
		const { messages } = await renderHistory(session, 'contextd');
		const { result, after: copy } = await previewCompaction(session, {}, context);
		const after = await readStats(copy, client);
		if (before === null || after === null || result === null) return { text: emptyText, wouldCompact: false };
		const text = writer.writeCompaction({ result, before, after, messages }, columns);
		return { text, wouldCompact: result.compacted };
	}

	return createSessionDefiner(store, client)(contextReport, paramsSchema, (session, params, context) => {
		const { about, columns = defaultColumns } = params;
		if (about !== 'compaction') return describeUsage(session, columns);
		return describeCompaction(session, columns, beginCompactionProgress(client, context));
	});
}
