/** What a window has for files, and several files within it. */

import type { TokenMeasure } from '../../core/files/cutAtLine.ts';
import {
	filesToSummarize,
	summarizedNotice,
	summaryBudget,
	summaryShare,
} from '../../core/files/fileSummary.ts';
import { fitFiles, withoutContent } from '../../core/files/fitFiles.ts';
import type { ReadAllowance } from '../../core/files/fitRead.ts';
import { fileTokenBudget } from '../../core/files/readPlan.ts';
import { findRepeatedAttachments } from '../../core/files/repeatedAttachments.ts';
import { truncateToTokenBudget } from '../../core/measure/truncateToTokenBudget.ts';
import { budgetOf } from '../../core/models/budget.ts';
import { providerOfModel } from '../../core/models/familyName.ts';
import { countLines } from '../../core/output/textSize.ts';
import type { Asked } from '../../protocol/declaration.ts';
import type { AttachedFile, FitFilesParams, FitFilesResult, FittedFile } from '../../protocol/files.ts';
import type { Settings } from '../../protocol/settings.ts';
import type { StatsOverlay } from '../../protocol/stats.ts';
import type { ClientContext } from '../clientContext.ts';
import type { Session } from '../session.ts';
import { contextUsageOf } from '../stats.ts';
import type { SessionMeasure, World } from '../world.ts';
import { type FileSummary, fileSummarizer, type LargeFile, type SummarizeFile } from './fileSummary.ts';

/** For whom files are read, and until when. */
export interface FileRequest {
	client: ClientContext;
	signal: AbortSignal;
}

/** Fits attachments into what a session's window has for files. */
export async function fitIntoSession(
	session: Session,
	params: Asked<FitFilesParams>,
	{ client, signal }: FileRequest,
): Promise<FitFilesResult> {
	const { files: _, maxOutputTokens, availableTokens: __, dryRun: ___, ...over } = params;
	const request = maxOutputTokens === undefined ? undefined : { maxOutputTokens };
	const room = await fileRoomOf(session, client, { ...over, request });
	return fitInto(
		room,
		params,
		fileSummarizer({ world: session.world, client, measure: room.measure, sessionId: session.id }),
		signal,
	);
}

/** Fits attachments into the empty window of a model. */
export async function fitIntoModel(
	world: World,
	params: Asked<FitFilesParams>,
	{ client, signal }: FileRequest,
): Promise<FitFilesResult> {
	const room = await emptyRoom(world, client, params);
	return fitInto(room, params, fileSummarizer({ world, client, measure: room.measure }), signal);
}

async function fitInto(
	{ allowance, measure }: Room,
	{ files, availableTokens, dryRun = false }: Asked<FitFilesParams>,
	summarize: SummarizeFile | undefined,
	signal: AbortSignal,
): Promise<FitFilesResult> {
	const budget = availableTokens ?? allowance.budgetTokens;
	const fitted = fitFiles(files, budget, measure);
	if (dryRun) return withoutContent(fitted);
	const isWhole = fitted.excluded.length === 0 && fitted.files.every(({ truncated }) => !truncated);
	if (isWhole || !summarize) return fitted;
	const room = summaryBudget({ ...allowance, budgetTokens: budget });
	const summaries = await summarizeLargest(files, room, measure, (file) => summarize(file, signal));
	if (summaries.size === 0) return fitted;
	const told = files.map((file, index) => ({ ...file, content: summaries.get(index)?.text ?? file.content }));
	return withSummaries(fitFiles(told, budget, measure), summaries);
}

/** A summary of a file, and what the model is told of it. */
type ToldSummary = FileSummary & { notice: string };

/** Summaries of the largest files, by index, until all files fit together. */
async function summarizeLargest(
	files: readonly AttachedFile[],
	room: number,
	measure: TokenMeasure,
	summarize: (file: LargeFile) => Promise<FileSummary | undefined>,
): Promise<Map<number, ToldSummary>> {
	const summaries = new Map<number, ToldSummary>();
	const most = summaryShare(room, files.length);
	if (most === undefined) return summaries;
	const again = findRepeatedAttachments(files);
	const sizes = files.map(({ content = '' }, index) => (again.has(index) ? 0 : measure.count(content)));
	for (const index of filesToSummarize(sizes, room, most)) {
		const { content: text = '', path, uri } = files[index] ?? {};
		const name = path ?? uri ?? `file ${index + 1}`;
		const summary = await summarize({ path: name, text, most });
		if (summary)
			summaries.set(index, { ...summary, notice: summarizedNotice(name, countLines(text), summary.by) });
	}
	return summaries;
}

/** A fitting in which the files that are summaries say so. */
function withSummaries(fitted: FitFilesResult, summaries: ReadonlyMap<number, ToldSummary>): FitFilesResult {
	const byText = new Map([...summaries.values()].map((summary) => [summary.text, summary]));
	const files = fitted.files.map((file): FittedFile => {
		const by = byText.get(file.content)?.by;
		return by === undefined ? file : { ...file, status: 'summarized', by };
	});
	const told = files.flatMap(({ status, content }) =>
		status === 'summarized' ? [byText.get(content)?.notice ?? ''] : [],
	);
	return { ...fitted, files, notices: [...fitted.notices, ...told] };
}

interface Room {
	allowance: ReadAllowance;
	measure: TokenMeasure;
}

/** What a session's window has for files under an overlay. */
export async function fileRoomOf(
	session: Session,
	client: ClientContext,
	overlay: StatsOverlay = {},
): Promise<Room> {
	const { budget, reading, meter, provider, model, settings } = await contextUsageOf(
		session,
		client,
		overlay,
	);
	const room = { window: budget.contextWindow, current: reading.tokens, reserve: budget.outputReserve };
	const measure = session.world.measures.for(provider, model, overlay.estimator ?? session.estimator());
	return { allowance: allowanceOf(settings, room), measure: scaledMeasure(measure, meter.factor) };
}

async function emptyRoom(world: World, client: ClientContext, params: Asked<FitFilesParams>): Promise<Room> {
	const settings = client.settings();
	const { model = '', provider = providerOfModel(model), maxOutputTokens } = params;
	await world.measures.ready(provider, model, settings.estimator);
	const budget = budgetOf({ provider, model, settings, maxOutputTokens, systemPrompt: 0 });
	const room = { window: budget.contextWindow, current: 0, reserve: budget.outputReserve };
	const measure = world.measures.for(provider, model, settings.estimator);
	return { allowance: allowanceOf(settings, room), measure: scaledMeasure(measure, 1) };
}

function allowanceOf(
	settings: Settings,
	{ window, current, reserve }: { window: number; current: number; reserve: number },
): ReadAllowance {
	const { fileReadBudgetPercent } = settings.compaction;
	return {
		budgetTokens: fileTokenBudget(window, current, reserve, fileReadBudgetPercent),
		remainingTokens: Math.max(0, window - current - reserve),
	};
}

/** Counts on the scale of the session's figures. */
function scaledMeasure(measure: SessionMeasure, factor: number): TokenMeasure {
	return { count: (text) => Math.ceil(measure.countText(text) * factor), truncate: truncateToTokenBudget };
}
