import { clipLine, type Line, span } from '../output/line.ts';
import { canvasOf, type FrontIo, reportText } from './terminal.ts';

/** One line on a terminal that says what goes on, and is gone afterwards. */
export interface ProgressLine {
	/**
	 * @param percentage of the work that is done, 0 to 100; then it is said how long the rest may take
	 */
	show(line: Line, percentage?: number): void;
	clear(): void;
}

/** Milliseconds before anything is shown: what is done by then needs no word. */
const delay = 250;
/** Seconds after which it is said how long it has been. */
const long = 3;
/** Milliseconds between two frames. */
const frameMs = 80;
const spinnerFrames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const eraseLine = '\r\u001b[K';

/** Percents of the work from which on its pace says something. */
const telling = 3;

/** Seconds that the rest of the work takes at the pace so far; undefined while that says nothing. */
export function secondsLeft(percentage: number, elapsedMs: number): number | undefined {
	if (percentage < telling || percentage >= 100) return undefined;
	return Math.max(1, Math.round((elapsedMs * (100 - percentage)) / percentage / 1000));
}

/** Progress on the error output where that is a terminal, else none at all. */
export function createProgressLine({ stderr, env }: Pick<FrontIo, 'stderr' | 'env'>): ProgressLine {
	if (!stderr.isTTY || env.TERM === 'dumb') return { show: () => {}, clear: () => {} };
	const begun = Date.now();
	let current: Line | undefined;
	let share: number | undefined;
	let frame = 0;
	let isShown = false;

	function draw(): void {
		if (!current || Date.now() - begun < delay) return;
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
