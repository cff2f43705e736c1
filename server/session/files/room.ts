/** What a window has for files, and several files within it. */

import type { TokenMeasure } from '../../core/files/cutAtLine.ts';
import { type AttachedFile, type FittedFiles, fitFiles } from '../../core/files/fitFiles.ts';
import type { ReadAllowance } from '../../core/files/fitRead.ts';
import { fileTokenBudget } from '../../core/files/readPlan.ts';
import { truncateToTokenBudget } from '../../core/measure/truncateToTokenBudget.ts';
import { budgetOf } from '../../core/models/budget.ts';
import { providerOfModel } from '../../core/models/modelProvider.ts';
import type { Session } from '../session.ts';
import { type Overlay, standingOf } from '../stats.ts';
import type { SessionStore } from '../store.ts';

export interface FitOrder extends Pick<Overlay, 'provider' | 'model'> {
	files: readonly AttachedFile[];
	/** Tokens that the answer may take. */
	maxOutputTokens?: number;
	/** Tokens that the files may take, where the caller knows. */
	availableTokens?: number;
}

/** Fits attachments into what a session's window has for files, or into that of a model without a session. */
export async function fitAttachments(
	store: SessionStore,
	session: Session | undefined,
	order: FitOrder,
): Promise<FittedFiles> {
	const { files, maxOutputTokens, availableTokens, ...over } = order;
	const request = maxOutputTokens === undefined ? undefined : { maxOutputTokens };
	const { allowance, measure } = session
		? await roomOf(store, session, { ...over, request })
		: await emptyRoom(store, order);
	return fitFiles(files, availableTokens ?? allowance.budgetTokens, measure);
}

interface Room {
	allowance: ReadAllowance;
	measure: TokenMeasure;
}

/** What a session's window has for files under an overlay. */
export async function roomOf(store: SessionStore, session: Session, overlay: Overlay = {}): Promise<Room> {
	const { budget, reading, meter, provider, model } = await standingOf(store, session, overlay);
	const room = { window: budget.contextWindow, current: reading.tokens, reserve: budget.outputReserve };
	return { allowance: allowanceOf(store, room), measure: measureOf(store, provider, model, meter.factor) };
}

async function emptyRoom(store: SessionStore, order: FitOrder): Promise<Room> {
	const settings = store.world.settings();
	const { model = '', provider = providerOfModel(model), maxOutputTokens } = order;
	await store.world.measures.ready(provider, model, settings.estimator);
	const budget = budgetOf({ provider, model, settings, maxOutputTokens, systemPrompt: 0 });
	const room = { window: budget.contextWindow, current: 0, reserve: budget.outputReserve };
	return { allowance: allowanceOf(store, room), measure: measureOf(store, provider, model, 1) };
}

function allowanceOf(
	store: SessionStore,
	{ window, current, reserve }: { window: number; current: number; reserve: number },
): ReadAllowance {
	const { fileReadBudgetPercent } = store.world.settings().compaction;
	return {
		budgetTokens: fileTokenBudget(window, current, reserve, fileReadBudgetPercent),
		remainingTokens: Math.max(0, window - current - reserve),
	};
}

/** Counts on the scale of the session's figures. */
function measureOf(store: SessionStore, provider: string, model: string, factor: number): TokenMeasure {
	const { measures, settings } = store.world;
	const measure = measures.for(provider, model, settings().estimator);
	return { count: (text) => Math.ceil(measure.countText(text) * factor), truncate: truncateToTokenBudget };
}
