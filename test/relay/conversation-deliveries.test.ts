import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
	canBeAnsweredUnread,
	isFromClient,
	playSteps,
	randomSteps,
	type WireMessage,
} from './conversationModel.ts';

it('a conversation delivers messages in the order in which the client wrote them', () => {
	fc.assert(
		fc.property(randomSteps, (all) => {
			const model = playSteps(all);
			const seen = new Set<string>();
			for (const { id, method, params } of model.daemons.flat().filter(isFromClient)) {
				if (method === 'workspace/didChangeConfiguration') seen.add(`c${params?.number}`);
				else if (method === 'workspace/didChangeWorkspaceFolders') seen.add(`f${params?.number}`);
				else if (method !== undefined && typeof id === 'number') seen.add(String(id));
			}
			// A request that was cancelled or given up before a daemon read it is sent to no other daemon.
			const delivered = model.writtenKeys.filter(
				(one) => seen.has(one) || !canBeAnsweredUnread(model.answers.get(Number(one))?.[0]?.error?.code),
			);
			if (!model.hasUnread) {
				expect([...seen]).toEqual(delivered);
				return;
			}
			// Settings that were not read are sent before the requests.
			const isRequest = (one: string): boolean => /^\d/.test(one);
			expect([...seen].filter(isRequest)).toEqual(delivered.filter(isRequest));
		}),
	);
});

it('a conversation passes a reply only to the daemon that asked', () => {
	fc.assert(
		fc.property(randomSteps, (all) => {
			for (const [index, inbox] of playSteps(all).daemons.entries()) {
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
		fc.property(randomSteps, (all) => {
			const { daemons, timelyReplies } = playSteps(all);
			for (const { daemon, ask } of timelyReplies) {
				expect(daemons[daemon - 1]).toContainEqual(
					expect.objectContaining({ id: ask, result: { daemon, ask } }),
				);
			}
		}),
	);
});

it('a conversation sends each daemon initialize and initialized before anything else', () => {
	fc.assert(
		fc.property(randomSteps, (all) => {
			const { daemons, answers } = playSteps(all);
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
		fc.property(randomSteps, (all) => {
			const model = playSteps(all);
			const numbers = (inbox: readonly WireMessage[], method: string) =>
				inbox.filter((one) => one.method === method).map(({ params }) => params?.number);
			const last = model.daemons.at(-1) ?? [];
			const before = model.daemons.slice(0, -1).flat();
			const configuration = 'workspace/didChangeConfiguration';
			const both = (method: string) => [...numbers(before, method), ...numbers(last, method)];
			expect(numbers(last, configuration).at(-1)).toBe(both(configuration).at(-1));
			const folders = 'workspace/didChangeWorkspaceFolders';
			expect(numbers(last, folders)).toEqual([...new Set(both(folders))]);
		}),
	);
});
