/** What a window has for files, and several files within it. */

import type { TokenMeasure } from '../../core/files/cutAtLine.ts';
import { fitFiles, withoutContent } from '../../core/files/fitFiles.ts';
import type { ReadAllowance } from '../../core/files/fitRead.ts';
import { fileTokenBudget } from '../../core/files/readPlan.ts';
import { truncateToTokenBudget } from '../../core/measure/truncateToTokenBudget.ts';
import { budgetOf } from '../../core/models/budget.ts';
import { providerOfModel } from '../../core/models/familyName.ts';
import type { Asked } from '../../protocol/declaration.ts';
import type { FitFilesParams, FitFilesResult } from '../../protocol/files.ts';
import type { StatsOverlay } from '../../protocol/stats.ts';
import type { Session } from '../session.ts';
import { contextUsageOf } from '../stats.ts';
import type { World } from '../world.ts';

/** Fits attachments into what a session's window has for files. */
export async function fitIntoSession(
	session: Session,
	params: Asked<FitFilesParams>,
): Promise<FitFilesResult> {
	const { files: _, maxOutputTokens, availableTokens: __, ...over } = params;
	const request = maxOutputTokens === undefined ? undefined : { maxOutputTokens };
	return fitInto(await roomOf(session, { ...over, request }), params);
}

/** Fits attachments into the empty window of a model. */
export async function fitIntoModel(world: World, params: Asked<FitFilesParams>): Promise<FitFilesResult> {
	return fitInto(await emptyRoom(world, params), params);
}

function fitInto(
	{ allowance, measure }: Room,
	{ files, availableTokens, dryRun = false }: Asked<FitFilesParams>,
): FitFilesResult {
	const fitted = fitFiles(files, availableTokens ?? allowance.budgetTokens, measure);
	return dryRun ? withoutContent(fitted) : fitted;
}

interface Room {
	allowance: ReadAllowance;
	measure: TokenMeasure;
}

/** What a session's window has for files under an overlay. */
export async function roomOf(session: Session, overlay: StatsOverlay = {}): Promise<Room> {
	const { world } = session;
	const { budget, reading, meter, provider, model } = await contextUsageOf(session, overlay);
	const room = { window: budget.contextWindow, current: reading.tokens, reserve: budget.outputReserve };
	return { allowance: allowanceOf(world, room), measure: measureOf(world, provider, model, meter.factor) };
}

async function emptyRoom(world: World, params: Asked<FitFilesParams>): Promise<Room> {
	const settings = world.settings();
	const { model = '', provider = providerOfModel(model), maxOutputTokens } = params;
	await world.measures.ready(provider, model, settings.estimator);
	const budget = budgetOf({ provider, model, settings, maxOutputTokens, systemPrompt: 0 });
	const room = { window: budget.contextWindow, current: 0, reserve: budget.outputReserve };
	return { allowance: allowanceOf(world, room), measure: measureOf(world, provider, model, 1) };
}

function allowanceOf(
	world: World,
	{ window, current, reserve }: { window: number; current: number; reserve: number },
): ReadAllowance {
	const { fileReadBudgetPercent } = world.settings().compaction;
	return {
		budgetTokens: fileTokenBudget(window, current, reserve, fileReadBudgetPercent),
		remainingTokens: Math.max(0, window - current - reserve),
	};
}

/** Counts on the scale of the session's figures. */
function measureOf(world: World, provider: string, model: string, factor: number): TokenMeasure {
	const { measures, settings } = world;
	const measure = measures.for(provider, model, settings().estimator);
	return { count: (text) => Math.ceil(measure.countText(text) * factor), truncate: truncateToTokenBudget };
}
