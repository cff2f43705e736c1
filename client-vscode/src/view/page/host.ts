/** Access of the page to the editor. */

import type { ViewOutput } from '../messages.ts';

/** State of the page that the editor stores while the page is hidden, and when the window is reloaded. */
export interface PageState {
	/** Scroll position in pixels from the top. */
	scroll: number;
	/** Keys of the lists that the user opened. */
	opened: string[];
}

declare function acquireVsCodeApi(): {
	postMessage(message: ViewOutput): void;
	getState(): PageState | undefined;
	setState(state: PageState): void;
};

export const host = acquireVsCodeApi();

/** Sends a message to the extension. */
export function post(message: ViewOutput): void {
	host.postMessage(message);
}
