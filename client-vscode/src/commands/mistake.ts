/** Mistakes of the user: a command was called in a situation in which it can do nothing. */

/** What the user can do instead. */
export interface WayOn {
	/** Label of the button. */
	label: string;
	/** Id of the editor's command, and its argument. */
	command: string;
	argument?: unknown;
}

/** A mistake of the user, which is no error of the program: shown as information, and not logged. */
export class UserMistake extends Error {
	readonly wayOn: WayOn | undefined;

	constructor(message: string, wayOn?: WayOn) {
		super(message);
		this.name = 'UserMistake';
		this.wayOn = wayOn;
	}
}
