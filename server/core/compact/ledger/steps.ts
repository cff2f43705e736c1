/** Work in steps, between which others may have their turn. */
export type Steps<Result> = Generator<undefined, Result>;

/** Takes all the steps at once. */
export function finish<Result>(steps: Steps<Result>): Result {
	for (;;) {
		const step = steps.next();
		if (step.done) return step.value;
	}
}
