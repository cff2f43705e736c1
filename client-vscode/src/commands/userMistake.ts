/** Defines mistakes of the user, such as a command that has nothing to act on. */

/** A button for what the user can do instead. */
export interface SuggestedStep {
	/** Label of the button. */
	label: string;
	/** Id of the editor command that the button runs, with `argument`. */
	command: string;
	argument?: unknown;
}

/** A mistake of the user, which is shown as information and not logged as an error. */
export class UserMistake extends Error {
	readonly suggestedStep: SuggestedStep | undefined;

	constructor(message: string, wayOn?: SuggestedStep) {
		super(message);
		this.name = 'UserMistake';
		this.suggestedStep = wayOn;
	}
}
