import { clipLine, type Line, span } from '../output/line.ts';
import { type FrontIo, measureColumns, renderReport } from './terminal.ts';

/** One line on a terminal that shows the current task and is erased at the end. */
export interface ProgressLine {
	/** @param percentage 0 to 100; if given, the remaining time is shown */
	show(line: Line, percentage?: number): void;
	clear(): void;
}

/** Milliseconds before anything is shown, because short tasks need no progress. */
const showDelayMs = 250;
/** Seconds after which the elapsed time is shown. */
const elapsedDelaySeconds = 3;
/** Milliseconds between two frames. */
const frameMs = 80;
const spinnerFrames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const eraseLine = '\r\u001b[K';

/** Percentage of the work after which the remaining time can be estimated. */
const minEstimatePercent = 3;

/** Returns the estimated seconds until the end; undefined if it is too early to estimate. */
export function estimateRemainingSeconds(percentage: number, elapsedMs: number): number | undefined {
	if (percentage < minEstimatePercent || percentage >= 100) return undefined;
	return Math.max(1, Math.round((elapsedMs * (100 - percentage)) / percentage / 1000));
}

/** Shows progress on standard error if that is a terminal; otherwise does nothing. */
export function createProgressLine(io: Pick<FrontIo, 'stderr' | 'env'>): ProgressLine {
	if (!io.stderr.isTTY || io.env.TERM === 'dumb') return { show: () => {}, clear: () => {} };
	return new TerminalLine(io);
}

/** Draws the current task until `clear`; the timer never keeps the process running. */
class TerminalLine implements ProgressLine {
	readonly #io: Pick<FrontIo, 'stderr' | 'env'>;
	readonly #startedAt = Date.now();
	readonly #timer: NodeJS.Timeout;
	#task: Line | undefined;
	#percentage: number | undefined;
	#frameIndex = 0;
	#isShown = false;

	constructor(io: Pick<FrontIo, 'stderr' | 'env'>) {
		this.#io = io;
		this.#timer = setInterval(() => this.#draw(), frameMs);
		this.#timer.unref();
	}

	show(line: Line, percentage?: number): void {
		this.#task = line;
		this.#percentage = percentage;
	}

	clear(): void {
		clearInterval(this.#timer);
		if (this.#isShown) this.#io.stderr.write(eraseLine);
		this.#task = undefined;
		this.#isShown = false;
	}

	#draw(): void {
		const elapsedMs = Date.now() - this.#startedAt;
		if (!this.#task || elapsedMs < showDelayMs) return;
		const { stderr, env } = this.#io;
		const spinner = span(`${spinnerFrames[this.#frameIndex++ % spinnerFrames.length]} `, 'cyan');
		const seconds = Math.floor(elapsedMs / 1000);
		const remaining =
			this.#percentage === undefined ? undefined : estimateRemainingSeconds(this.#percentage, elapsedMs);
		const remainingText = remaining === undefined ? '' : `, about ${remaining} s left`;
		const elapsed = seconds >= elapsedDelaySeconds ? [span(` · ${seconds} s${remainingText}`, 'gray')] : [];
		const line = clipLine([spinner, ...this.#task, ...elapsed], measureColumns(stderr, env) - 1);
		stderr.write(`${eraseLine}${renderReport([line], stderr, env).trimEnd()}`);
		this.#isShown = true;
	}
}
