/** How a message of the protocol is declared: its method with the types of its params and result. */

/** A request, typed by what it takes and gives. */
export interface RequestDeclaration<Params, Result> {
	readonly method: string;
	/** Never set; carries the types. */
	readonly types?: { params: Params; result: Result };
}

/** A notification, typed by what it carries. */
export interface NotificationDeclaration<Params> {
	readonly method: string;
	/** Never set; carries the type. */
	readonly types?: { params: Params };
}

export function request<Params, Result>(method: string): RequestDeclaration<Params, Result> {
	return { method };
}

export function notification<Params>(method: string): NotificationDeclaration<Params> {
	return { method };
}

/** Names the session that a request is about. */
export interface SessionParams {
	/** Up to 512 characters. */
	sessionId: string;
}

/** A request that reports its progress under this token, where the client gives one. */
export interface WorkDoneParams {
	workDoneToken?: string | number;
}
