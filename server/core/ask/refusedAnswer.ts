/** An answer that came, and may not stand. */

import type { StageFailure } from '../../protocol/compact.ts';

/** What is wrong with an answer, thrown by whoever judges it. */
export class RefusedAnswer extends Error {
	readonly failure: StageFailure;

	constructor(failure: StageFailure) {
		super(`${failure.code}: ${failure.message}`);
		this.name = 'RefusedAnswer';
		this.failure = failure;
	}
}
