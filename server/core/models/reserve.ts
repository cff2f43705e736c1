/** How much of a window is kept free for the answer, by two rules. All figures are tokens. */

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

export interface TableReserve {
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
