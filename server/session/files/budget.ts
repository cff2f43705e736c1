/** Computes the token budget for files in a window, and fits several files into it. */

import type { TokenMeasure } from '../../core/files/cutAtLine.ts';
import {
	computeSummariesBudget,
	computeSummaryTokens,
	createSummarizedNotice,
	selectFilesToSummarize,
} from '../../core/files/fileSummary.ts';
import { findRepeatedAttachments, fitFiles, removeFileContent } from '../../core/files/fitFiles.ts';
import type { ReadAllowance } from '../../core/files/fitRead.ts';
import { computeFileTokenBudget } from '../../core/files/readPlan.ts';
import { truncateToTokenBudget } from '../../core/measure/truncateToTokenBudget.ts';
import { computeBudget } from '../../core/models/budget.ts';
import { findModelProvider } from '../../core/models/familyName.ts';
import { countLines } from '../../core/output/textSize.ts';
import type { OwnParams } from '../../protocol/declaration.ts';
import type { AttachedFile, FitFilesParams, FitFilesResult, FittedFile } from '../../protocol/files.ts';
import type { Settings } from '../../protocol/settings.ts';
import type { StatsOverlay } from '../../protocol/stats.ts';
import type { ClientContext } from '../clientContext.ts';
import { readContextUsage } from '../contextUsage.ts';
import type { SessionMeasure, SessionServices } from '../services.ts';
import type { Session } from '../session.ts';
import {
	createFileSummarizer,
	type FileSummarizerContext,
	type FileSummary,
	type LargeFile,
} from './fileSummary.ts';

/** The client for which files are read, and the signal that cancels the call. */
export interface FileCallContext {
	client: ClientContext;
	signal: AbortSignal;
}

/** Fits attachments into a session's file budget. */
export async function fitFilesIntoSession(
	session: Session,
	params: OwnParams<FitFilesParams>,
	{ client, signal }: FileCallContext,
): Promise<FitFilesResult> {
	const { files: _, maxOutputTokens, availableTokens: __, dryRun: ___, ...overlay } = params;
	const request = maxOutputTokens === undefined ? undefined : { maxOutputTokens };
	const fileBudget = await computeFileBudget(session, client, { ...overlay, request });
	const context = { services: session.services, client, sessionId: session.id };
	return fitIntoBudget(fileBudget, params, context, signal);
}

/** Fits attachments into the empty window of a model. */
export async function fitFilesIntoModel(
	services: SessionServices,
	params: OwnParams<FitFilesParams>,
	{ client, signal }: FileCallContext,
): Promise<FitFilesResult> {
	const fileBudget = await computeEmptyWindowBudget(services, client, params);
	return fitIntoBudget(fileBudget, params, { services, client }, signal);
}

async function fitIntoBudget(
	{ allowance, measure }: FileBudget,
	{ files, availableTokens, dryRun = false }: OwnParams<FitFilesParams>,
	context: Omit<FileSummarizerContext, 'measure'>,
	signal: AbortSignal,
): Promise<FitFilesResult> {
	const budget = availableTokens ?? allowance.budgetTokens;
	const fitResult = fitFiles(files, budget, measure);
	if (dryRun) return removeFileContent(fitResult);
	const isWhole = fitResult.excluded.length === 0 && fitResult.files.every(({ truncated }) => !truncated);
	const summarize = isWhole ? undefined : createFileSummarizer({ ...context, measure });
	if (!summarize) return fitResult;
	const budgetForSummaries = computeSummariesBudget({ ...allowance, budgetTokens: budget });
	const summaries = await summarizeLargest(files, budgetForSummaries, measure, (file) =>
		summarize(file, signal),
	);
	if (summaries.size === 0) return fitResult;
	const summarizedFiles = files.map((file, index) => ({
		...file,
		content: summaries.get(index)?.text ?? file.content,
	}));
	return markSummarized(fitFiles(summarizedFiles, budget, measure), summaries);
}

/** A summary of a file, and the notice that tells the model that the content is a summary. */
type NoticedSummary = FileSummary & { notice: string };

/** Summarizes the largest files until all files fit together; returns the summaries by index of their file. */
async function summarizeLargest(
	files: readonly AttachedFile[],
	budgetTokens: number,
	measure: TokenMeasure,
	summarize: (file: LargeFile) => Promise<FileSummary | undefined>,
): Promise<Map<number, NoticedSummary>> {
	const summaries = new Map<number, NoticedSummary>();
	const maxTokens = computeSummaryTokens(budgetTokens, files.length);
	if (maxTokens === undefined) return summaries;
	const duplicates = findRepeatedAttachments(files);
	const sizes = files.map(({ content = '' }, index) => (duplicates.has(index) ? 0 : measure.count(content)));
	for (const index of selectFilesToSummarize(sizes, budgetTokens, maxTokens)) {
		const { content: text = '', path, uri } = files[index] ?? {};
		const name = path ?? uri ?? `file ${index + 1}`;
		const summary = await summarize({ path: name, text, maxTokens });
		if (summary)
			summaries.set(index, {
				...summary,
				notice: createSummarizedNotice(name, countLines(text), summary.by),
			});
	}
	return summaries;
}

/** Marks the fitted files whose content is a summary. */
function markSummarized(
	fitResult: FitFilesResult,
	summaries: ReadonlyMap<number, NoticedSummary>,
): FitFilesResult {
	const byText = new Map([...summaries.values()].map((summary) => [summary.text, summary]));
	const files = fitResult.files.map((file): FittedFile => {
		const by = byText.get(file.content)?.by;
		return by === undefined ? file : { ...file, status: 'summarized', by };
	});
	const notices = files.flatMap(({ status, content }) =>
		status === 'summarized' ? [byText.get(content)?.notice ?? ''] : [],
	);
	return { ...fitResult, files, notices: [...fitResult.notices, ...notices] };
}

interface FileBudget {
	allowance: ReadAllowance;
	measure: TokenMeasure;
}

/** Returns a session's token budget for files. */
export async function computeFileBudget(
	session: Session,
	client: ClientContext,
	overlay: StatsOverlay = {},
): Promise<FileBudget> {
	const { budget, meterReading, meter, provider, model, settings } = await readContextUsage(
		session,
		client,
		overlay,
	);
	const usage = { window: budget.contextWindow, current: meterReading.tokens, reserve: budget.outputReserve };
	const measure = session.services.measures.getMeasure(
		provider,
		model,
		overlay.estimator ?? session.getEstimator(),
	);
	return { allowance: computeAllowance(settings, usage), measure: scaleMeasure(measure, meter.factor) };
}

async function computeEmptyWindowBudget(
	services: SessionServices,
	client: ClientContext,
	params: OwnParams<FitFilesParams>,
): Promise<FileBudget> {
	const settings = client.getSettings();
	const { model = '', provider = findModelProvider(model), maxOutputTokens } = params;
	await services.measures.load(provider, model, settings.estimator);
	const budget = computeBudget({ provider, model, settings, maxOutputTokens, systemPromptTokens: 0 });
	const usage = { window: budget.contextWindow, current: 0, reserve: budget.outputReserve };
	const measure = services.measures.getMeasure(provider, model, settings.estimator);
	return { allowance: computeAllowance(settings, usage), measure: scaleMeasure(measure, 1) };
}

function computeAllowance(
	settings: Settings,
	{ window, current, reserve }: { window: number; current: number; reserve: number },
): ReadAllowance {
	const { fileReadBudgetPercent } = settings.compaction;
	return {
		budgetTokens: computeFileTokenBudget(window, current, reserve, fileReadBudgetPercent),
		remainingTokens: Math.max(0, window - current - reserve),
	};
}

/** Returns a measure whose counts are on the scale of the session's meter. */
function scaleMeasure(measure: SessionMeasure, factor: number): TokenMeasure {
	return { count: (text) => Math.ceil(measure.countText(text) * factor), truncate: truncateToTokenBudget };
}
