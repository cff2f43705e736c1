/** A model of a client and the daemons that serve it in turn, with a relay's conversation between them. */

import fc from 'fast-check';
import { RelayConversation } from '../../server/relay/conversation.ts';

/** A message in either direction. */
export interface WireMessage {
	id?: string | number;
	method?: string;
	params?: Record<string, unknown>;
	result?: Record<string, unknown>;
	error?: { code: number };
}

/** A request of each kind that a relay treats differently. */
const requestsByKind = {
	read: { method: 'context/stats', params: { sessionId: 's' } },
	command: { method: 'workspace/executeCommand', params: { command: 'contextd.context.recall' } },
	append: { method: 'session/append', params: { sessionId: 's', messages: [{ id: 'a' }] } },
	appendWithoutIds: { method: 'session/append', params: { sessionId: 's', messages: [{ role: 'user' }] } },
	write: { method: 'context/compact', params: { sessionId: 's' } },
} as const;
type RequestKind = keyof typeof requestsByKind;
export const repeatableKinds: readonly RequestKind[] = ['read', 'command', 'append'];

const step = fc.oneof(
	{
		weight: 6,
		arbitrary: fc.record({
			do: fc.constant('request' as const),
			kind: fc.constantFrom(...(Object.keys(requestsByKind) as RequestKind[])),
		}),
	},
	{ weight: 2, arbitrary: fc.record({ do: fc.constant('cancel' as const), which: fc.nat(20) }) },
	{ weight: 1, arbitrary: fc.record({ do: fc.constant('configure' as const) }) },
	{ weight: 1, arbitrary: fc.record({ do: fc.constant('folders' as const) }) },
	{ weight: 6, arbitrary: fc.record({ do: fc.constant('answer' as const), which: fc.nat(20) }) },
	{ weight: 2, arbitrary: fc.record({ do: fc.constant('ask' as const) }) },
	{ weight: 2, arbitrary: fc.record({ do: fc.constant('reply' as const), which: fc.nat(20) }) },
	{ weight: 1, arbitrary: fc.record({ do: fc.constant('move' as const) }) },
	{ weight: 2, arbitrary: fc.record({ do: fc.constant('lose' as const) }) },
	{ weight: 1, arbitrary: fc.record({ do: fc.constant('suspend' as const) }) },
	{ weight: 2, arbitrary: fc.record({ do: fc.constant('leave' as const), unread: fc.nat(8) }) },
	{ weight: 1, arbitrary: fc.record({ do: fc.constant('cutShort' as const), which: fc.nat(20) }) },
	{ weight: 3, arbitrary: fc.record({ do: fc.constant('join' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** Plays steps of a client and its daemons, and records what both sides received. */
export class ConversationModel {
	readonly daemons: WireMessage[][] = [];
	readonly answers = new Map<string | number, WireMessage[]>();
	readonly sentRequests: { id: number; kind: RequestKind }[] = [];
	/** Everything that the client sent, in order. */
	readonly writtenKeys: string[] = [];
	/** Requests of daemons that the client has not replied to. */
	readonly askedRequests: { id: string | number; daemon: number; ask: number }[] = [];
	/** Replies to requests of the daemon that was connected at the time. */
	readonly timelyReplies: { daemon: number; ask: number }[] = [];
	/** Requests whose cancellation a daemon had received when it ended. */
	readonly lostCancelledIds: (string | number)[] = [];
	/** Requests that the current daemon has not answered. */
	openIds: (string | number)[] = [];
	/** Requests that a daemon cancelled after it announced its end; listed once per daemon. */
	readonly cutShortIds: (string | number)[] = [];
	/** Requests that a suspension of the daemon left without an answer. */
	unansweredIds: number[] = [];
	/** Whether a daemon left messages unread. */
	hasUnread = false;
	readonly #conversation: RelayConversation;
	#isJoined = false;
	#isMoving = false;
	/** Number of messages that the current daemon has certainly read, because it answered the last of them. */
	#readCount = 0;
	#askCount = 0;
	#stepCount = 0;

	constructor() {
		this.#conversation = new RelayConversation({
			sendToClient: (body) => this.#receiveAtClient(JSON.parse(body.toString()) as WireMessage),
			sendToDaemon: (body) => this.#receiveAtDaemon(JSON.parse(body.toString()) as WireMessage),
		});
	}

	#receiveAtClient(message: WireMessage): void {
		if (message.method === 'client/ask') {
			const { daemon, ask } = message.params as { daemon: number; ask: number };
			this.askedRequests.push({ id: message.id as string | number, daemon, ask });
		} else if (message.method === undefined) {
			const id = message.id as string | number;
			this.answers.set(id, [...(this.answers.get(id) ?? []), message]);
		}
	}

	#receiveAtDaemon(message: WireMessage): void {
		if (!this.#isJoined) throw new Error('a message was sent although no daemon is connected');
		this.daemons.at(-1)?.push(message);
		if (message.method !== undefined && message.id !== undefined) this.openIds.push(message.id);
	}

	#sendFromClient(message: WireMessage): void {
		this.#conversation.receiveFromClient(Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message })));
	}

	#sendFromDaemon(message: WireMessage): void {
		this.#conversation.receiveFromDaemon(Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message })));
	}

	initialize(): void {
		this.#sendFromClient({ id: 'init', method: 'initialize', params: {} });
		this.#sendFromClient({ method: 'initialized', params: {} });
	}

	join(): void {
		if (this.#isJoined) return;
		this.#isJoined = true;
		this.#isMoving = false;
		this.#readCount = 0;
		this.#askCount = 0;
		this.openIds = [];
		this.daemons.push([]);
		this.#conversation.attachDaemon();
	}

	answer(index: number): void {
		if (!this.#isJoined || this.openIds.length === 0) return;
		const [id] = this.openIds.splice(index % this.openIds.length, 1);
		this.#recordRead(id);
		if (id !== undefined) this.#sendFromDaemon({ id, result: { daemon: this.daemons.length, id } });
	}

	#recordRead(id: string | number | undefined): void {
		const index = this.daemons.at(-1)?.findIndex((one) => one.id === id && one.method !== undefined) ?? -1;
		this.#readCount = Math.max(this.#readCount, index + 1);
	}

	/** Lets the daemon cancel a request on its own. */
	#cutShort(index: number): void {
		const inbox = this.daemons.at(-1) ?? [];
		const isCancelled = (id: string | number): boolean =>
			inbox.some(({ method, params }) => method === '$/cancelRequest' && params?.id === id);
		const open = this.openIds.filter((id) => typeof id === 'number' && !isCancelled(id));
		const id = open[index % Math.max(1, open.length)];
		if (!this.#isJoined || !this.#isMoving || id === undefined) return;
		this.openIds.splice(this.openIds.indexOf(id), 1);
		this.#recordRead(id);
		this.cutShortIds.push(id);
		this.#sendFromDaemon({ id, error: { code: -32800 } });
	}

	/** Lets the daemon hand over before it has read the last messages. */
	#leave(unread: number): void {
		if (!this.#isJoined) return;
		const inbox = this.daemons.at(-1) ?? [];
		const received = Math.max(this.#readCount, inbox.length - unread);
		const left = inbox.splice(received);
		this.hasUnread ||= left.length > 0;
		this.openIds = this.openIds.filter(
			(id) => !left.some((one) => one.id === id && one.method !== undefined),
		);
		this.#conversation.beginMove();
		this.#lose(received);
	}

	play(one: Step): void {
		const number = ++this.#stepCount;
		if (one.do === 'request') {
			this.sentRequests.push({ id: number, kind: one.kind });
			this.writtenKeys.push(String(number));
			this.#sendFromClient({ id: number, ...requestsByKind[one.kind] });
		} else if (one.do === 'cancel') {
			const target = this.sentRequests[one.which % Math.max(1, this.sentRequests.length)];
			if (target) this.#sendFromClient({ method: '$/cancelRequest', params: { id: target.id } });
		} else if (one.do === 'configure') {
			this.writtenKeys.push(`c${number}`);
			this.#sendFromClient({ method: 'workspace/didChangeConfiguration', params: { number } });
		} else if (one.do === 'folders') {
			this.writtenKeys.push(`f${number}`);
			this.#sendFromClient({ method: 'workspace/didChangeWorkspaceFolders', params: { number } });
		} else if (one.do === 'answer') this.answer(one.which);
		else if (one.do === 'ask') this.#ask();
		else if (one.do === 'reply') this.#reply(one.which);
		else if (one.do === 'move') this.#move();
		else if (one.do === 'cutShort') this.#cutShort(one.which);
		else if (one.do === 'leave') this.#leave(one.unread);
		else if (one.do === 'lose') this.#lose();
		else if (one.do === 'suspend') this.#suspend();
		else this.join();
	}

	#suspend(): void {
		this.#conversation.refuseAll('suspended');
		const waiting = this.sentRequests.filter(({ id }) => !this.answers.has(id));
		this.unansweredIds.push(...waiting.map(({ id }) => id));
	}

	#ask(): void {
		if (!this.#isJoined) return;
		const ask = this.#askCount++;
		this.#sendFromDaemon({ id: ask, method: 'client/ask', params: { daemon: this.daemons.length, ask } });
	}

	#reply(which: number): void {
		const [request] = this.askedRequests.splice(which % Math.max(1, this.askedRequests.length), 1);
		if (request === undefined) return;
		const { id, daemon, ask } = request;
		if (this.#isJoined && daemon === this.daemons.length) this.timelyReplies.push({ daemon, ask });
		this.#sendFromClient({ id, result: { daemon, ask } });
		if (this.#isJoined) this.#readCount = this.daemons.at(-1)?.length ?? 0;
	}

	#move(): void {
		this.#isMoving = this.#isJoined;
		this.#conversation.beginMove();
	}

	#lose(received?: number): void {
		if (!this.#isJoined) return;
		this.#isJoined = false;
		for (const { method, params } of this.daemons.at(-1) ?? []) {
			const id = params?.id as number;
			const isOpen = this.openIds.includes(id) && !this.answers.has(id);
			if (method === '$/cancelRequest' && isOpen) this.lostCancelledIds.push(id);
		}
		this.#conversation.handleDaemonExit(received);
	}

	settle(): void {
		if (!this.#isJoined) this.join();
		this.play({ do: 'lose' });
		this.join();
		while (this.openIds.length > 0) this.answer(0);
	}
}

/** Plays steps after `initialize`, and lets a last daemon answer everything. */
export function playSteps(steps: readonly Step[]): ConversationModel {
	const model = new ConversationModel();
	model.initialize();
	for (const one of steps) model.play(one);
	model.settle();
	return model;
}

/** Returns whether a message comes from the client rather than from the relay itself. */
export const isFromClient = ({ id }: WireMessage): boolean => !String(id).startsWith('contextd-relay-');

/** Returns whether a request may be answered with this error before a daemon has read it. */
export const canBeAnsweredUnread = (code: number | undefined): boolean => code === -32800 || code === -31982;

/** Returns the number of daemons that received a request. */
export function countReceipts(model: ConversationModel, id: number): number {
	return model.daemons.filter((inbox) => inbox.some((one) => one.id === id && one.method !== undefined))
		.length;
}

/** Random steps, at most 60. */
export const randomSteps = fc.array(step, { maxLength: 60, size: 'max' });
