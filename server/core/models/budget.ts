/** Computes the tokens that a model's window leaves for input, and the levels at which they run short. */

import type { ProfileName, Thresholds } from '../../protocol/settingParts.ts';
import type { Settings } from '../../protocol/settings.ts';
import type { ContextLimit, ContextWindowSource } from '../../protocol/stats.ts';
import { profiles } from './profiles.ts';
import { lookupModel, type ModelLimits } from './registry.ts';

export interface BudgetInput {
	provider: string;
	model: string;
	settings: Settings;
	/** The model's window in tokens, if the client states it; overrides the registry. */
	contextWindow?: number;
	/** Maximum output of the next call, in tokens. */
	maxOutputTokens?: number;
	/** Measured tokens of the system prompt; 0 if the client passed none. */
	systemPromptTokens: number;
}

/** Figures are tokens, except thresholds, which are shares of the available tokens. */
export interface Budget {
	contextWindow: number;
	contextWindowSource: ContextWindowSource;
	outputReserve: number;
	/** Whether the reserve was raised because the model accepts less input than the rest of the window. */
	isReserveRaised: boolean;
	/** Tokens for input: the window minus the reserve. */
	available: number;
	/** What limits `available`, and who compacts at that limit. */
	limit: Pick<ContextLimit, 'of' | 'compacts'>;
	/** Usage at which each state begins, and at which a compaction is due. */
	thresholds: Thresholds & { compact: number };
}

/** Usage at which a compaction is due if the user chose neither a threshold nor a profile. */
const defaultThreshold = 0.8;

/** Usage at which each profile compacts. */
const profileThresholds: Readonly<Record<ProfileName, number>> = {
	conservative: 0.75,
	balanced: 0.8,
	aggressive: 0.85,
	gemini: 0.85,
};

function computeReserve(input: BudgetInput, limits: Omit<ModelLimits, 'profile'>): number {
	if (input.settings.reserve === 'ratio') return computeRatioReserve(limits);
	const systemReserve = input.systemPromptTokens > 0 ? 0 : input.settings.systemReserve;
	return computeTableReserve({ ...limits, systemReserve });
}

/** The kind of limit that results from each source of a window's size. */
const limitKindBySource: Readonly<Record<ContextWindowSource, ContextLimit['of']>> = {
	client: 'setting',
	settings: 'setting',
	agent: 'agent',
	registry: 'window',
	'provider-default': 'guess',
	default: 'guess',
};

/** Returns the budget of a model under the user's settings. */
export function computeBudget(input: BudgetInput): Budget {
	const { settings } = input;
	const limits = lookupModel(input.provider, input.model, {
		contextWindow: input.contextWindow,
		maxOutputTokens: input.maxOutputTokens,
		models: settings.models,
	});
	const outputReserve = computeReserve(input, limits);
	const { profile, threshold, levels } = settings.compaction;
	return {
		contextWindow: limits.contextWindow,
		contextWindowSource: limits.contextWindowSource,
		outputReserve,
		isReserveRaised:
			limits.maxInputTokens !== undefined &&
			outputReserve > computeReserve(input, { ...limits, maxInputTokens: undefined }),
		available: Math.max(0, limits.contextWindow - outputReserve),
		limit: {
			of: limitKindBySource[limits.contextWindowSource],
			compacts: settings.compaction.enabled ? 'contextd' : 'nobody',
		},
		thresholds: {
			...(levels ?? profiles[profile ?? limits.profile]),
			compact: threshold ?? (profile ? profileThresholds[profile] : defaultThreshold),
		},
	};
}

/** Window and limit with which another agent works, in tokens. */
export interface ExternalAgentLimit extends ContextLimit {
	window: number;
}

/**
 * Returns the budget of a session that another agent compacts. The available tokens end where that agent compacts, and
 * only usage beyond the window is an overflow.
 */
export function computeExternalBudget(limit: ExternalAgentLimit, base: Budget): Budget {
	const { window, tokens, of, compacts } = limit;
	const isModelWindow = window === base.contextWindow && of !== 'setting';
	return {
		...base,
		contextWindow: window,
		contextWindowSource: isModelWindow ? base.contextWindowSource : of === 'setting' ? 'settings' : 'agent',
		outputReserve: window - tokens,
		isReserveRaised: false,
		available: tokens,
		limit: { of, compacts },
		thresholds: { ...base.thresholds, overflow: window / Math.max(1, tokens), compact: 1 },
	};
}

/**
 * Returns the budget of a session whose messages come from an agent's plugin. The limit is the agent's, but contextd
 * compacts, at contextd's threshold. If contextd's compaction is disabled, the agent compacts as before.
 *
 * @param threshold a share that overrides the threshold of `base`
 */
export function computePluginBudget(limit: ExternalAgentLimit, base: Budget, threshold?: number): Budget {
	const agentBudget = computeExternalBudget(limit, base);
	if (base.limit.compacts !== 'contextd') return agentBudget;
	return {
		...agentBudget,
		limit: { ...agentBudget.limit, compacts: 'contextd' },
		thresholds: { ...agentBudget.thresholds, compact: threshold ?? base.thresholds.compact },
	};
}

/** Smallest window, in tokens, in which numbers chosen for large windows are not scaled down. */
const fullWindowTokens = 128_000;

/**
 * Scales a number of tokens chosen for large windows to this window. Below 128,000 tokens it shrinks in proportion,
 * so that every stage still works in a small window.
 */
export function scaleToWindow(tokens: number, contextWindow: number): number {
	return contextWindow >= fullWindowTokens ? tokens : Math.floor((tokens * contextWindow) / fullWindowTokens);
}

/** Returns the usage as a share of the available tokens; 1 if none are available. Always finite. */
export function computeUsageRatio(tokens: number, available: number): number {
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
	/** Tokens reserved for a system prompt that was not measured. */
	systemReserve: number;
}

const maxDefaultReserve = 64_000;
/** A requested output above this share of the window is ignored, because some models' maximum is nearly the window. */
const maxOutputShare = 0.9;

/**
 * Returns the reserve by the `ratio` rule: the requested output, else the smaller of 64,000 and 35% of the
 * window. More if the model accepts less input than the reserve would leave. Always less than a window above 1.
 */
export function computeRatioReserve(input: ReserveInput): number {
	const window = floorTokens(input.contextWindow);
	if (window === 0) return 0;
	const requestedTokens = floorTokens(input.maxOutputTokens);
	const defaultReserve = Math.min(maxDefaultReserve, Math.ceil((window * 35) / 100));
	const reserve =
		requestedTokens > 0 && requestedTokens <= window * maxOutputShare ? requestedTokens : defaultReserve;
	return Math.min(window - 1, Math.max(reserve, computeUnusableTokens(window, input.maxInputTokens)));
}

/**
 * Returns the reserve by the `table` rule: 27,000 up to a window of 64,000, 30,000 up to 128,000, 40,000 up to 200,000, above
 * that 20% of the window. Reserves take at most half of the window, so that small windows remain usable.
 */
export function computeTableReserve(input: TableReserveInput): number {
	const window = floorTokens(input.contextWindow);
	const half = Math.floor(window / 2);
	const wantedOutput = Math.max(findTableOutput(window), floorTokens(input.maxOutputTokens));
	const output = Math.max(Math.min(half, wantedOutput), computeUnusableTokens(window, input.maxInputTokens));
	return output + Math.min(floorTokens(input.systemReserve), Math.max(0, half - output));
}

function findTableOutput(window: number): number {
	if (window <= 64_000) return 27_000;
	if (window <= 128_000) return 30_000;
	if (window <= 200_000) return 40_000;
	return Math.max(40_000, Math.floor(window / 5));
}

function computeUnusableTokens(window: number, maxInputTokens: number | undefined): number {
	const input = floorTokens(maxInputTokens);
	return input > 0 && input < window ? window - input : 0;
}

function floorTokens(value: number | undefined): number {
	if (value === undefined || !Number.isFinite(value) || value <= 0) return 0;
	return Math.min(Number.MAX_SAFE_INTEGER, Math.floor(value));
}
