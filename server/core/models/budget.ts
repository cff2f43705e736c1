/** What a model's window leaves for the input, and from where on it is tight. */

import type { ProfileName, Settings, Thresholds } from '../../protocol/settings.ts';
import type { ContextLimit, ContextWindowSource } from '../../protocol/stats.ts';
import { profiles } from './profiles.ts';
import { lookupModel, type ModelLimits } from './registry.ts';

export interface BudgetInput {
	provider: string;
	model: string;
	settings: Settings;
	/** Tokens, where the client knows better than the registry. */
	contextWindow?: number;
	/** Tokens that the next call may answer with. */
	maxOutputTokens?: number;
	/** Tokens of the system prompt, where it was handed in. */
	systemPrompt: number;
}

/** All figures are tokens but the thresholds, which are shares of what is available. */
export interface Budget {
	contextWindow: number;
	contextWindowSource: ContextWindowSource;
	outputReserve: number;
	/** The reserve is larger than the rule makes it, since the model takes in less than the rest of its window. */
	isReserveRaised: boolean;
	/** Window less reserve. */
	available: number;
	/** What `available` is, and who makes room there. */
	limit: Pick<ContextLimit, 'of' | 'compacts'>;
	profile: ProfileName;
	/** Where each state begins, and where compaction is due. */
	thresholds: Thresholds & { compact: number };
}

/** Usage at which compaction is due where the user chose neither a threshold nor a profile. */
const defaultThreshold = 0.8;

/** Usage at which a profile compacts by itself; those of the profiles' own table. */
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

/** What a window's size is known from, as the kind of limit that it makes. */
const limitKinds: Readonly<Record<ContextWindowSource, ContextLimit['of']>> = {
	client: 'setting',
	settings: 'setting',
	agent: 'agent',
	registry: 'window',
	'provider-default': 'guess',
	default: 'guess',
};

/** The budget of a model under the user's settings. */
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
 * The budget of a session that another agent makes room in: it reaches to where that agent does so, and only what
 * goes beyond its window is an overflow.
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
 * The budget of a session that an agent's plugin feeds: it reaches as far as the agent's own would, but contextd makes
 * room in it, at its own threshold; where that is off, the agent does as it always did.
 * @param threshold a share in the place of the own
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

/** How full the available tokens are; 1 where nothing is available. Always finite. */
export function usageRatio(tokens: number, available: number): number {
	if (available > 0) return tokens / available;
	return tokens > 0 ? 1 : 0;
}

interface ReserveInput {
	contextWindow: number;
	/** What the client asks the model for at most; absent where it set none. */
	maxOutputTokens?: number;
	/** What the model takes in at most, where that is less than its window. */
	maxInputTokens?: number;
}

interface TableReserveInput extends ReserveInput {
	/** Held back for a system prompt that was not measured. Default 4 000. */
	systemReserve?: number;
	/** The measured system prompt: takes the place of `systemReserve`. */
	systemPromptTokens?: number;
}

interface TableReserve {
	output: number;
	/** The measured system prompt, else what is held back for it. */
	system: number;
	/** What the history may use: the window less both. */
	history: number;
}

const largestDefault = 64_000;
/** A limit near the whole window (some models state one) says nothing about what an answer needs. */
const largestStatedShare = 0.9;

/**
 * The `ratio` rule: what the client asked for, else the smaller of 64 000 and 35% of the window; more where the
 * model takes in less than the rest. Always leaves something of a window above 1.
 */
export function ratioReserve({ contextWindow, maxOutputTokens, maxInputTokens }: ReserveInput): number {
	const window = wholeTokens(contextWindow);
	if (window === 0) return 0;
	const asked = wholeTokens(maxOutputTokens);
	const byDefault = Math.min(largestDefault, Math.ceil((window * 35) / 100));
	const reserve = asked > 0 && asked <= window * largestStatedShare ? asked : byDefault;
	return Math.min(window - 1, Math.max(reserve, beyondInput(window, maxInputTokens)));
}

/**
 * The `table` rule: 27 000 up to a window of 64 000, 30 000 to 128 000, 40 000 to 200 000, above that 20% of the
 * window. The reserves take at most half of the window, so that small ones stay usable.
 */
export function tableReserve(input: TableReserveInput): TableReserve {
	const window = wholeTokens(input.contextWindow);
	const half = Math.floor(window / 2);
	const wanted = Math.max(tableOutput(window), wholeTokens(input.maxOutputTokens));
	const output = Math.max(Math.min(half, wanted), beyondInput(window, input.maxInputTokens));
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

function beyondInput(window: number, maxInputTokens: number | undefined): number {
	const input = wholeTokens(maxInputTokens);
	return input > 0 && input < window ? window - input : 0;
}

function wholeTokens(value: number | undefined): number {
	if (value === undefined || !Number.isFinite(value) || value <= 0) return 0;
	return Math.min(Number.MAX_SAFE_INTEGER, Math.floor(value));
}
