/** Notifications that set up a daemon for its client; a later daemon needs them too. */

/** Whether only the newest notification of a method matters. */
const replacesEarlier: Readonly<Record<string, boolean>> = {
	initialized: true,
	'workspace/didChangeConfiguration': true,
	'workspace/didChangeWorkspaceFolders': false,
	'$/setTrace': true,
};

export class SetupNotifications {
	#notifications: { method: string; body: Buffer }[] = [];

	/** Stores a notification of one of these methods. */
	add(method: string, body: Buffer): void {
		if (!Object.hasOwn(replacesEarlier, method)) return;
		if (replacesEarlier[method])
			this.#notifications = this.#notifications.filter((one) => one.method !== method);
		this.#notifications.push({ method, body: Buffer.from(body) });
	}

	/** Returns the notifications to send to a new daemon, in order. */
	all(): Buffer[] {
		return this.#notifications.map(({ body }) => body);
	}
}
