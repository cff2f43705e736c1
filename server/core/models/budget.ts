/** The tokens that a model's window leaves for input, and the levels at which they run short. */

import type { ProfileName, Thresholds } from '../../protocol/settingParts.ts';
import type { Settings } from '../../protocol/settings.ts';
import type { ContextLimit, ContextWindowSource } from '../../protocol/stats.ts';
import { profiles } from './profiles.ts';
import { lookupModel, type ModelLimits } from './registry.ts';

export interface BudgetInput {
	provider: string;
	model: string;
	settings: Settings;
	/** Tokens, if the client knows better than the registry. */
	contextWindow?: number;
	/** Maximum output of the next call, in tokens. */
	maxOutputTokens?: number;
	/** Tokens of the system prompt, if it was handed in. */
	systemPrompt: number;
}

/** Figures are tokens, except thresholds, which are shares of the available tokens. */
export interface Budget {
	contextWindow: number;
	contextWindowSource: ContextWindowSource;
	outputReserve: number;
	/** The model accepts less input than the window minus the reserve, so the reserve was raised. */
	isReserveRaised: boolean;
	/** Window minus reserve. */
	available: number;
	/** The kind of limit that `available` is, and who compacts there. */
	limit: Pick<ContextLimit, 'of' | 'compacts'>;
	profile: ProfileName;
	/** Usage at which each state begins, and at which a compaction is due. */
	thresholds: Thresholds & { compact: number };
}

/** Usage at which a compaction is due if the user chose neither a threshold nor a profile. */
const defaultThreshold = 0.8;

/** Usage at which each profile compacts, from the table of the profiles. */
const compactAt: Readonly<Record<ProfileName, number>> = {
	conservative: 0.75,
	balanced: 0.8,
	aggressive: 0.85,
	gemini: 0.85,
};

function reserveOf(input: BudgetInput, limits: Omit<ModelLimits, 'profile'>): number {
	const { contextWindow, maxOutputTokens, maxInputTokens } = limits;
	if (input.settings.reserve === 'ratio')
		return ratioReserve({ contextWindow, maxOutputTokens, maxInputTokens });
	const measured = input.systemPrompt > 0;
	const table = tableReserve({
		contextWindow,
		maxOutputTokens,
		maxInputTokens,
		systemReserve: measured ? 0 : input.settings.systemReserve,
	});
	return table.output + table.system;
}

/** The kind of limit that results from each source of a window's size. */
const limitKinds: Readonly<Record<ContextWindowSource, ContextLimit['of']>> = {
	client: 'setting',
	settings: 'setting',
	agent: 'agent',
	registry: 'window',
	'provider-default': 'guess',
	default: 'guess',
};

/** Returns the budget of a model under the user's settings. */
export function budgetOf(input: BudgetInput): Budget {
	const { settings } = input;
	const limits = lookupModel(input.provider, input.model, {
		contextWindow: input.contextWindow,
		maxOutputTokens: input.maxOutputTokens,
		models: settings.models,
	});
	const outputReserve = reserveOf(input, limits);
	const chosen = settings.compaction.profile;
	const profile = chosen ?? limits.profile;
	return {
		contextWindow: limits.contextWindow,
		contextWindowSource: limits.contextWindowSource,
		outputReserve,
		isReserveRaised:
			limits.maxInputTokens !== undefined &&
			outputReserve > reserveOf(input, { ...limits, maxInputTokens: undefined }),
		available: Math.max(0, limits.contextWindow - outputReserve),
		limit: {
			of: limitKinds[limits.contextWindowSource],
			compacts: settings.compaction.enabled ? 'contextd' : 'nobody',
		},
		profile,
		thresholds: {
			...(settings.compaction.levels ?? profiles[profile]),
			compact: settings.compaction.threshold ?? (chosen ? compactAt[chosen] : defaultThreshold),
		},
	};
}

/** A limit that another agent works with. Tokens. */
export interface ForeignLimit extends ContextLimit {
	window: number;
}

/**
 * Returns the budget of a session that another agent compacts: it ends where that agent compacts, and
 * only usage beyond the window is an overflow.
 */
export function foreignBudget(limit: ForeignLimit, own: Budget): Budget {
	const { window, tokens, of, compacts } = limit;
	const isModels = window === own.contextWindow && of !== 'setting';
	return {
		...own,
		contextWindow: window,
		contextWindowSource: isModels ? own.contextWindowSource : of === 'setting' ? 'settings' : 'agent',
		outputReserve: window - tokens,
		isReserveRaised: false,
		available: tokens,
		limit: { of, compacts },
		thresholds: { ...own.thresholds, overflow: window / Math.max(1, tokens), compact: 1 },
	};
}

/**
 * Returns the budget of a session that an agent's plugin feeds: it ends where the agent's own does,
 * but contextd compacts, at its own threshold. If contextd's compaction is disabled, the agent compacts as before.
 *
 * @param threshold a share that overrides the threshold of `own`
 */
export function pluginBudget(
	limit: ForeignLimit,
	own: Budget,
	threshold: number = own.thresholds.compact,
): Budget {
	const foreign = foreignBudget(limit, own);
	if (own.limit.compacts !== 'contextd') return foreign;
	return {
		...foreign,
		limit: { ...foreign.limit, compacts: 'contextd' },
		thresholds: { ...foreign.thresholds, compact: threshold },
	};
}

/** Windows of at least this many tokens use figures for large windows unscaled. */
const fullWindowTokens = 128_000;

/**
 * Scales a number of tokens chosen for large windows to this window. Below 128,000 tokens it shrinks in proportion,
 * so that every stage still works in a small window.
 */
export function scaleToWindow(tokens: number, contextWindow: number): number {
	return contextWindow >= fullWindowTokens ? tokens : Math.floor((tokens * contextWindow) / fullWindowTokens);
}

/** Usage as a share of the available tokens; 1 if none are available. Always finite. */
export function usageRatio(tokens: number, available: number): number {
	if (available > 0) return tokens / available;
	return tokens > 0 ? 1 : 0;
}

interface ReserveInput {
	contextWindow: number;
	/** Maximum output that the client requests; absent if it set none. */
	maxOutputTokens?: number;
	/** Maximum input of the model, if less than its window. */
	maxInputTokens?: number;
}

interface TableReserveInput extends ReserveInput {
	/** Reserved for a system prompt that was not measured. Default 4,000. */
	systemReserve?: number;
	/** The measured system prompt, which overrides `systemReserve`. */
	systemPromptTokens?: number;
}

interface TableReserve {
	output: number;
	/** The measured system prompt, or the tokens reserved for it. */
	system: number;
	/** Tokens for the history: the window minus both. */
	history: number;
}

const maxDefaultReserve = 64_000;
/**
 * Some models state a limit close to the whole window, which says nothing about the needs of an
 * answer.
 */
const maxOutputShare = 0.9;

/**
 * The `ratio` rule: the requested output, else the smaller of 64,000 and 35% of the window; more if
 * the model accepts less input than the rest. Less than the window, if that is above 1.
 */
export function ratioReserve({ contextWindow, maxOutputTokens, maxInputTokens }: ReserveInput): number {
	const window = wholeTokens(contextWindow);
	if (window === 0) return 0;
	const asked = wholeTokens(maxOutputTokens);
	const byDefault = Math.min(maxDefaultReserve, Math.ceil((window * 35) / 100));
	const reserve = asked > 0 && asked <= window * maxOutputShare ? asked : byDefault;
	return Math.min(window - 1, Math.max(reserve, tokensBeyondInput(window, maxInputTokens)));
}

/**
 * The `table` rule: 27,000 up to a window of 64,000, 30,000 up to 128,000, 40,000 up to 200,000, above
 * that 20% of the window. Reserves take at most half of the window, so that small windows remain usable.
 */
export function tableReserve(input: TableReserveInput): TableReserve {
	const window = wholeTokens(input.contextWindow);
	const half = Math.floor(window / 2);
	const wanted = Math.max(tableOutput(window), wholeTokens(input.maxOutputTokens));
	const output = Math.max(Math.min(half, wanted), tokensBeyondInput(window, input.maxInputTokens));
	const measured = input.systemPromptTokens;
	const system =
		measured === undefined
			? Math.min(wholeTokens(input.systemReserve ?? 4000), Math.max(0, half - output))
			: wholeTokens(measured);
	return { output, system, history: Math.max(0, window - output - system) };
}

function tableOutput(window: number): number {
	if (window <= 64_000) return 27_000;
	if (window <= 128_000) return 30_000;
	if (window <= 200_000) return 40_000;
	return Math.max(40_000, Math.floor(window / 5));
}

function tokensBeyondInput(window: number, maxInputTokens: number | undefined): number {
	const input = wholeTokens(maxInputTokens);
	return input > 0 && input < window ? window - input : 0;
}

function wholeTokens(value: number | undefined): number {
	if (value === undefined || !Number.isFinite(value) || value <= 0) return 0;
	return Math.min(Number.MAX_SAFE_INTEGER, Math.floor(value));
}
