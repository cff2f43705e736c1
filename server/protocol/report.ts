/** Reports on a session as text for people. */

import type { RequestDeclaration, SessionParams } from './declaration.ts';
import { declareRequest } from './declare.ts';
import { compactingErrors, readingErrors } from './errors.ts';

/** `usage`: how full the window is and what fills it. `compaction`: what a compaction would do now. */
export type ReportSubject = 'usage' | 'compaction';

export interface ReportParams extends SessionParams {
	/** What to describe; by default `usage`. */
	about?: ReportSubject;
	/** Maximum width of the lines in columns, 20 to 500; by default 80. */
	columns?: number;
}

export interface ReportResult {
	/** Lines of plain text, as `contextd stats` and `contextd compact` print them. */
	text: string;
	/** For `compaction`: whether a compaction would change the history. */
	wouldCompact?: boolean;
}

/** Describes a session as text, for clients that do not draw its stats themselves. */
export const contextReport: RequestDeclaration<ReportParams, ReportResult, 'context/report'> = declareRequest(
	'context/report',
	[...readingErrors, ...compactingErrors],
);
