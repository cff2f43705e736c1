import { clipLine, type Line, span } from './output/line.ts';
import { canvasOf, type FrontIo, reportText } from './terminal.ts';

/** One line on a terminal that says what goes on, and is gone afterwards. */
export interface ProgressLine {
	show(line: Line): void;
	clear(): void;
}

/** Milliseconds before anything is shown: what is done by then needs no word. */
const DELAY = 250;
/** Seconds after which it is said how long it has been. */
const LONG = 3;
/** Milliseconds between two frames. */
const FRAME = 80;
const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const ERASE_LINE = '\r\u001b[K';

/** Progress on the error output where that is a terminal, else none at all. */
export function createProgressLine({ stderr, env }: Pick<FrontIo, 'stderr' | 'env'>): ProgressLine {
	if (!stderr.isTTY || env.TERM === 'dumb') return { show: () => {}, clear: () => {} };
	const begun = Date.now();
	let current: Line | undefined;
	let frame = 0;
	let isShown = false;

	function draw(): void {
		if (!current || Date.now() - begun < DELAY) return;
		const spinner = span(`${SPINNER[frame++ % SPINNER.length]} `, 'cyan');
		const seconds = Math.floor((Date.now() - begun) / 1000);
		const elapsed = seconds >= LONG ? [span(` · ${seconds} s`, 'gray')] : [];
		const line = clipLine([spinner, ...current, ...elapsed], canvasOf(stderr, env).columns - 1);
		stderr.write(`${ERASE_LINE}${reportText([line], stderr, env).trimEnd()}`);
		isShown = true;
	}

	const timer = setInterval(draw, FRAME);
	timer.unref();
	return {
		show(line) {
			current = line;
		},
		clear() {
			clearInterval(timer);
			if (isShown) stderr.write(ERASE_LINE);
			current = undefined;
			isShown = false;
		},
	};
}
