import { clipLine, type Line, span } from '../output/line.ts';
import { canvasOf, type FrontIo, reportText } from './terminal.ts';

/** One line on a terminal that shows the current task and is erased at the end. */
export interface ProgressLine {
	/** @param percentage 0 to 100; if given, the remaining time is shown */
	show(line: Line, percentage?: number): void;
	clear(): void;
}

/** Milliseconds before anything is shown, since short tasks need no progress. */
const delayMs = 250;
/** Seconds after which the elapsed time is shown. */
const long = 3;
/** Milliseconds between two frames. */
const frameMs = 80;
const spinnerFrames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const eraseLine = '\r\u001b[K';

/** Percentage of the work after which the remaining time can be estimated. */
const minEstimatePercent = 3;

/** Estimated seconds until the end; undefined if it is too early to tell. */
export function secondsLeft(percentage: number, elapsedMs: number): number | undefined {
	if (percentage < minEstimatePercent || percentage >= 100) return undefined;
	return Math.max(1, Math.round((elapsedMs * (100 - percentage)) / percentage / 1000));
}

/** Shows progress on standard error if that is a terminal; otherwise does nothing. */
export function createProgressLine({ stderr, env }: Pick<FrontIo, 'stderr' | 'env'>): ProgressLine {
	if (!stderr.isTTY || env.TERM === 'dumb') return { show: () => {}, clear: () => {} };
	const begun = Date.now();
	let current: Line | undefined;
	let share: number | undefined;
	let frame = 0;
	let isShown = false;

	function draw(): void {
		if (!current || Date.now() - begun < delayMs) return;
		const spinner = span(`${spinnerFrames[frame++ % spinnerFrames.length]} `, 'cyan');
		const seconds = Math.floor((Date.now() - begun) / 1000);
		const left = share === undefined ? undefined : secondsLeft(share, Date.now() - begun);
		const rest = left === undefined ? '' : `, about ${left} s left`;
		const elapsed = seconds >= long ? [span(` · ${seconds} s${rest}`, 'gray')] : [];
		const line = clipLine([spinner, ...current, ...elapsed], canvasOf(stderr, env).columns - 1);
		stderr.write(`${eraseLine}${reportText([line], stderr, env).trimEnd()}`);
		isShown = true;
	}

	const timer = setInterval(draw, frameMs);
	timer.unref();
	return {
		show(line, percentage) {
			current = line;
			share = percentage;
		},
		clear() {
			clearInterval(timer);
			if (isShown) stderr.write(eraseLine);
			current = undefined;
			isShown = false;
		},
	};
}
