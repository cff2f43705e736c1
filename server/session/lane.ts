/** How one call for a session holds up those behind it. */

/** The order of calls for one session, as a call can hold it up. */
export interface Lane {
	/** Called before the first wait: the calls behind start only after `release`, or when this one is done. */
	hold(): void;
	release(): void;
}

/** The lane of one call. `held` resolves when it is released; undefined where it was never held. */
export function createLane(): Lane & { readonly held: Promise<void> | undefined } {
	let free: () => void = () => undefined;
	const lane = {
		held: undefined as Promise<void> | undefined,
		hold() {
			lane.held ??= new Promise((resolve) => {
				free = resolve;
			});
		},
		release: () => free(),
	};
	return lane;
}
