import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as contract from '../../server/protocol/index.ts';
import { initialize } from '../../server/protocol/lifecycle.ts';
import { RelayConversation } from '../../server/relay/conversation.ts';
import { readOnlyMethods } from '../../server/relay/repeatable.ts';

interface Wire {
	id?: string | number;
	method?: string;
	params?: Record<string, unknown>;
	result?: Record<string, unknown>;
	error?: { code: number };
}

const kinds = {
	read: { method: 'context/stats', params: { sessionId: 's' } },
	command: { method: 'workspace/executeCommand', params: { command: 'contextd.context.recall' } },
	append: { method: 'session/append', params: { sessionId: 's', messages: [{ id: 'a' }] } },
	appendWithoutIds: { method: 'session/append', params: { sessionId: 's', messages: [{ role: 'user' }] } },
	write: { method: 'context/compact', params: { sessionId: 's' } },
} as const;
type Kind = keyof typeof kinds;
const repeatable: readonly Kind[] = ['read', 'command', 'append'];

const step = fc.oneof(
	{
		weight: 6,
		arbitrary: fc.record({
			do: fc.constant('request' as const),
			kind: fc.constantFrom(...(Object.keys(kinds) as Kind[])),
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

/** A client and a sequence of daemons, with a conversation between them. */
class World {
	readonly daemons: Wire[][] = [];
	readonly answers = new Map<string | number, Wire[]>();
	readonly sent: { id: number; kind: Kind }[] = [];
	/** Everything that the client sent, in order. */
	readonly written: string[] = [];
	/** Requests of daemons that the client has not replied to. */
	readonly asked: { id: string | number; daemon: number; ask: number }[] = [];
	/** Replies to requests of the daemon that was connected at the time. */
	readonly timely: { daemon: number; ask: number }[] = [];
	/** Requests whose cancellation a daemon had received when it ended. */
	readonly lostCancelled: (string | number)[] = [];
	/** Requests that the current daemon has not answered. */
	open: (string | number)[] = [];
	/** Requests that a daemon cancelled on its own after it moved aside; listed once per daemon. */
	readonly cutShort: (string | number)[] = [];
	/** Requests that a suspension of the daemon left without an answer. */
	leftWaiting: number[] = [];
	/** Whether a daemon left messages unread. */
	hasUnread = false;
	readonly #conversation: RelayConversation;
	#isJoined = false;
	#isMoving = false;
	/** The number of messages that the current daemon has certainly read, since it answered the last of them. */
	#certain = 0;
	#asks = 0;
	#count = 0;

	constructor() {
		this.#conversation = new RelayConversation({
			sendToClient: (body) => this.#hear(JSON.parse(body.toString()) as Wire),
			sendToDaemon: (body) => this.#receive(JSON.parse(body.toString()) as Wire),
		});
	}

	#hear(message: Wire): void {
		if (message.method === 'client/ask') {
			const { daemon, ask } = message.params as { daemon: number; ask: number };
			this.asked.push({ id: message.id as string | number, daemon, ask });
		} else if (message.method === undefined) {
			const id = message.id as string | number;
			this.answers.set(id, [...(this.answers.get(id) ?? []), message]);
		}
	}

	#receive(message: Wire): void {
		if (!this.#isJoined) throw new Error('a message was sent although no daemon is connected');
		this.daemons.at(-1)?.push(message);
		if (message.method !== undefined && message.id !== undefined) this.open.push(message.id);
	}

	#client(message: Wire): void {
		this.#conversation.receiveFromClient(Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message })));
	}

	#daemon(message: Wire): void {
		this.#conversation.receiveFromDaemon(Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message })));
	}

	initialize(): void {
		this.#client({ id: 'init', method: 'initialize', params: {} });
		this.#client({ method: 'initialized', params: {} });
	}

	join(): void {
		if (this.#isJoined) return;
		this.#isJoined = true;
		this.#isMoving = false;
		this.#certain = 0;
		this.#asks = 0;
		this.open = [];
		this.daemons.push([]);
		this.#conversation.attachDaemon();
	}

	answer(index: number): void {
		if (!this.#isJoined || this.open.length === 0) return;
		const [id] = this.open.splice(index % this.open.length, 1);
		this.#reads(id);
		if (id !== undefined) this.#daemon({ id, result: { daemon: this.daemons.length, id } });
	}

	#reads(id: string | number | undefined): void {
		const index = this.daemons.at(-1)?.findIndex((one) => one.id === id && one.method !== undefined) ?? -1;
		this.#certain = Math.max(this.#certain, index + 1);
	}

	/** Lets the daemon cancel a request on its own. */
	#cutShort(index: number): void {
		const inbox = this.daemons.at(-1) ?? [];
		const isCancelled = (id: string | number): boolean =>
			inbox.some(({ method, params }) => method === '$/cancelRequest' && params?.id === id);
		const open = this.open.filter((id) => typeof id === 'number' && !isCancelled(id));
		const id = open[index % Math.max(1, open.length)];
		if (!this.#isJoined || !this.#isMoving || id === undefined) return;
		this.open.splice(this.open.indexOf(id), 1);
		this.#reads(id);
		this.cutShort.push(id);
		this.#daemon({ id, error: { code: -32800 } });
	}

	/** Lets the daemon move aside without having read the last messages. */
	#leave(unread: number): void {
		if (!this.#isJoined) return;
		const inbox = this.daemons.at(-1) ?? [];
		const received = Math.max(this.#certain, inbox.length - unread);
		const left = inbox.splice(received);
		this.hasUnread ||= left.length > 0;
		this.open = this.open.filter((id) => !left.some((one) => one.id === id && one.method !== undefined));
		this.#conversation.beginMove();
		this.#lose(received);
	}

	take(one: Step): void {
		const number = ++this.#count;
		if (one.do === 'request') {
			this.sent.push({ id: number, kind: one.kind });
			this.written.push(String(number));
			this.#client({ id: number, ...kinds[one.kind] });
		} else if (one.do === 'cancel') {
			const target = this.sent[one.which % Math.max(1, this.sent.length)];
			if (target) this.#client({ method: '$/cancelRequest', params: { id: target.id } });
		} else if (one.do === 'configure') {
			this.written.push(`c${number}`);
			this.#client({ method: 'workspace/didChangeConfiguration', params: { number } });
		} else if (one.do === 'folders') {
			this.written.push(`f${number}`);
			this.#client({ method: 'workspace/didChangeWorkspaceFolders', params: { number } });
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
		const waiting = this.sent.filter(({ id }) => !this.answers.has(id));
		this.leftWaiting.push(...waiting.map(({ id }) => id));
	}

	#ask(): void {
		if (!this.#isJoined) return;
		const ask = this.#asks++;
		this.#daemon({ id: ask, method: 'client/ask', params: { daemon: this.daemons.length, ask } });
	}

	#reply(which: number): void {
		const [request] = this.asked.splice(which % Math.max(1, this.asked.length), 1);
		if (request === undefined) return;
		const { id, daemon, ask } = request;
		if (this.#isJoined && daemon === this.daemons.length) this.timely.push({ daemon, ask });
		this.#client({ id, result: { daemon, ask } });
		if (this.#isJoined) this.#certain = this.daemons.at(-1)?.length ?? 0;
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
			const isOpen = this.open.includes(id) && !this.answers.has(id);
			if (method === '$/cancelRequest' && isOpen) this.lostCancelled.push(id);
		}
		this.#conversation.handleDaemonExit(received);
	}

	settle(): void {
		if (!this.#isJoined) this.join();
		this.take({ do: 'lose' });
		this.join();
		while (this.open.length > 0) this.answer(0);
	}
}

function played(steps: readonly Step[]): World {
	const world = new World();
	world.initialize();
	for (const one of steps) world.take(one);
	world.settle();
	return world;
}

/** Returns whether a message comes from the client rather than from the relay itself. */
const isClients = ({ id }: Wire): boolean => !String(id).startsWith('contextd-relay-');

/** Whether a request may be answered with this error before a daemon has read it. */
const isAnsweredUnread = (code: number | undefined): boolean => code === -32800 || code === -31982;

function receiptsOf(world: World, id: number): number {
	return world.daemons.filter((inbox) => inbox.some((one) => one.id === id && one.method !== undefined))
		.length;
}

it('the methods that a relay may repeat are requests of the contract', () => {
	const declared = Object.values(contract).map(
		(one) => typeof one === 'object' && 'method' in one && one.method,
	);
	expect([...declared, initialize.method]).toEqual(expect.arrayContaining([...readOnlyMethods]));
});

const steps = fc.array(step, { maxLength: 60, size: 'max' });

describe('a conversation over several daemons', () => {
	it('a conversation over several daemons answers each request exactly once', () => {
		fc.assert(
			fc.property(steps, (all) => {
				const { sent, answers } = played(all);
				for (const { id } of sent) expect([id, answers.get(id)?.length]).toEqual([id, 1]);
				expect(answers.get('init')).toHaveLength(1);
				expect([...answers.keys()].filter((id) => String(id).startsWith('contextd-relay-'))).toEqual([]);
			}),
		);
	});

	it('a conversation over several daemons answers each request with its own result', () => {
		fc.assert(
			fc.property(steps, (all) => {
				const { answers } = played(all);
				for (const [id, [answer]] of answers)
					if (answer?.result?.id !== undefined) expect(answer.result.id).toBe(id);
			}),
		);
	});

	it('a conversation over several daemons repeats only requests that are safe to repeat, and only once', () => {
		fc.assert(
			fc.property(steps, (all) => {
				const world = played(all);
				for (const { id, kind } of world.sent) {
					const cuts = kind === 'write' ? 0 : world.cutShort.filter((one) => one === id).length;
					expect(receiptsOf(world, id)).toBeLessThanOrEqual((repeatable.includes(kind) ? 2 : 1) + cuts);
				}
			}),
		);
	});

	it('a conversation reports a lost request only if it is not repeatable, cancelled, or lost in two crashes', () => {
		fc.assert(
			fc.property(steps, (all) => {
				const world = played(all);
				for (const { id, kind } of world.sent) {
					const code = world.answers.get(id)?.[0]?.error?.code;
					if (code === undefined) continue;
					expect([-31984, -31983, -31982, -32800]).toContain(code);
					if (code === -31984) expect(repeatable).not.toContain(kind);
					const cuts = world.cutShort.filter((one) => one === id).length;
					if (code === -31983) expect(receiptsOf(world, id)).toBe(2 + cuts);
				}
			}),
		);
	});

	it('a conversation delivers messages in the order in which the client wrote them', () => {
		fc.assert(
			fc.property(steps, (all) => {
				const world = played(all);
				const seen = new Set<string>();
				for (const { id, method, params } of world.daemons.flat().filter(isClients)) {
					if (method === 'workspace/didChangeConfiguration') seen.add(`c${params?.number}`);
					else if (method === 'workspace/didChangeWorkspaceFolders') seen.add(`f${params?.number}`);
					else if (method !== undefined && typeof id === 'number') seen.add(String(id));
				}
				// A request that was cancelled or given up before a daemon read it is sent to no other daemon.
				const delivered = world.written.filter(
					(one) => seen.has(one) || !isAnsweredUnread(world.answers.get(Number(one))?.[0]?.error?.code),
				);
				if (!world.hasUnread) {
					expect([...seen]).toEqual(delivered);
					return;
				}
				// Settings that were not read are sent before the requests.
				const isRequest = (one: string): boolean => /^\d/.test(one);
				expect([...seen].filter(isRequest)).toEqual(delivered.filter(isRequest));
			}),
		);
	});

	it('a conversation fails no request that no daemon has read', () => {
		fc.assert(
			fc.property(steps, (all) => {
				const world = played(all);
				for (const { id } of world.sent) {
					const code = world.answers.get(id)?.[0]?.error?.code;
					if (code === undefined || isAnsweredUnread(code)) continue;
					expect(receiptsOf(world, id)).toBeGreaterThan(0);
				}
			}),
		);
	});

	it('a conversation answers every request while a daemon is suspended, also those that none has read', () => {
		fc.assert(
			fc.property(steps, (all) => {
				expect(played(all).leftWaiting).toEqual([]);
			}),
		);
	});

	it('a conversation passes a reply only to the daemon that asked', () => {
		fc.assert(
			fc.property(steps, (all) => {
				for (const [index, inbox] of played(all).daemons.entries()) {
					for (const { id, method, result } of inbox) {
						if (method !== undefined) continue;
						expect([result?.daemon, result?.ask]).toEqual([index + 1, id]);
					}
				}
			}),
		);
	});

	it('a conversation passes a reply on while the daemon that asked is connected', () => {
		fc.assert(
			fc.property(steps, (all) => {
				const { daemons, timely } = played(all);
				for (const { daemon, ask } of timely) {
					expect(daemons[daemon - 1]).toContainEqual(
						expect.objectContaining({ id: ask, result: { daemon, ask } }),
					);
				}
			}),
		);
	});

	it('a conversation answers a cancelled request that a daemon lost as cancelled', () => {
		fc.assert(
			fc.property(steps, (all) => {
				const { lostCancelled, answers } = played(all);
				for (const id of lostCancelled) expect([id, answers.get(id)?.[0]?.error?.code]).toEqual([id, -32800]);
			}),
		);
	});

	it('a conversation sends each daemon initialize and initialized before anything else', () => {
		fc.assert(
			fc.property(steps, (all) => {
				const { daemons, answers } = played(all);
				// Two daemons have ended because of this request.
				if (answers.get('init')?.[0]?.error !== undefined) return;
				for (const inbox of daemons) {
					const methods = inbox.slice(0, 2).map(({ method }) => method);
					expect(methods).toEqual(['initialize', 'initialized'].slice(0, inbox.length));
				}
			}),
		);
	});

	it('a conversation sends each daemon the newest configuration and all changes of folders', () => {
		fc.assert(
			fc.property(steps, (all) => {
				const world = played(all);
				const numbers = (inbox: readonly Wire[], method: string) =>
					inbox.filter((one) => one.method === method).map(({ params }) => params?.number);
				const last = world.daemons.at(-1) ?? [];
				const before = world.daemons.slice(0, -1).flat();
				const configuration = 'workspace/didChangeConfiguration';
				const both = (method: string) => [...numbers(before, method), ...numbers(last, method)];
				expect(numbers(last, configuration).at(-1)).toBe(both(configuration).at(-1));
				const folders = 'workspace/didChangeWorkspaceFolders';
				expect(numbers(last, folders)).toEqual([...new Set(both(folders))]);
			}),
		);
	});
});
