/** Remembers the notifications that set up a daemon for its client, because each later daemon needs them too. */

/** Methods of setup notifications; true if the newest notification replaces earlier ones. */
const replacesEarlierByMethod: Readonly<Record<string, boolean>> = {
	initialized: true,
	'workspace/didChangeConfiguration': true,
	'workspace/didChangeWorkspaceFolders': false,
	'$/setTrace': true,
};

export class SetupNotifications {
	#notifications: { method: string; body: Buffer }[] = [];

	/** Stores a notification if its method sets up a daemon. */
	addIfSetup(method: string, body: Buffer): void {
		if (!Object.hasOwn(replacesEarlierByMethod, method)) return;
		if (replacesEarlierByMethod[method])
			this.#notifications = this.#notifications.filter((one) => one.method !== method);
		this.#notifications.push({ method, body: Buffer.from(body) });
	}

	/** Returns the notifications to send to a new daemon, oldest first. */
	list(): Buffer[] {
		return this.#notifications.map(({ body }) => body);
	}
}
