import * as z from 'zod/mini';
import { Failure } from '../../core/failure.ts';
import { toSlashedPath } from '../../core/files/folder.ts';
import * as protocol from '../../protocol/recorder.ts';
import { onRequest } from '../call/define.ts';
import type { RequestMethod } from '../call/method.ts';
import { objectSchema } from '../call/object.ts';
import * as shapes from './shapes.ts';

/** Reaches the recorder of the daemon. */
export interface RecorderPort {
	/** Calls a method in the recorder's thread; fails like that method. */
	ask<Result>(method: string, params: object): Promise<Result>;
}

const empty = objectSchema({});

const settings = objectSchema({
	recording: shapes.flagSchema,
	maxBytes: z.optional(z.int().check(z.minimum(1 << 20))),
	maxDays: z.optional(z.int().check(z.minimum(1), z.maximum(36_500))),
	excludedFolders: shapes.textsSchema,
});

const name = z.string().check(z.minLength(1));
const sessions = objectSchema({
	workspace: shapes.textSchema,
	agent: shapes.textSchema,
	since: z.optional(z.number()),
	limit: z.optional(z.int().check(z.minimum(1), z.maximum(10_000))),
	parent: z.optional(name),
});

const pin = objectSchema({ recordingId: name, pinned: z.boolean() });
const read = objectSchema({ recording: name, fromSeq: z.optional(z.int().check(z.nonnegative())) });
const forget = objectSchema({
	recordingId: z.optional(name),
	containing: z.optional(name),
	dryRun: shapes.flagSchema,
});

const count = z.optional(z.int().check(z.minimum(0), z.maximum(50)));
const units = z.optional(z.int().check(z.nonnegative()));
const messages = objectSchema({
	recordingId: name,
	messageId: name,
	before: count,
	after: count,
	offset: units,
	limit: units,
});

/** The recorder of a process that has none, and reaches none. */
export const missingRecorder: RecorderPort = {
	ask: () =>
		Promise.reject(
			new Failure('StorageFailed', 'only the daemon records sessions: this process works without one'),
		),
};

/** What the methods need besides the recorder. */
export interface RecorderContext {
	/** The client's variables, which may name folders of agents. */
	environment: Readonly<Record<string, string | undefined>>;
	/** Erases recordings, and all other copies in the state folder. */
	forget(params: protocol.RecorderForgetParams): Promise<protocol.RecorderForgetResult>;
}

/** The methods of the recorder. */
export function recorderMethods(
	recorder: RecorderPort,
	{ environment, forget: erase }: RecorderContext,
): RequestMethod[] {
	return [
		onRequest(protocol.recorderStatus, empty, () => recorder.ask('status', {})),
		onRequest(protocol.recorderSet, settings, (params) => recorder.ask('set', { ...params, environment })),
		onRequest(protocol.recorderSessions, sessions, async ({ workspace, ...params }) => {
			const folder = workspace === undefined ? undefined : (toSlashedPath(workspace) ?? workspace);
			return { sessions: await recorder.ask('sessions', { ...params, folder }) };
		}),
		onRequest(protocol.recorderMessages, messages, (params) => recorder.ask('messages', params)),
		onRequest(protocol.recorderPin, pin, (params) => recorder.ask('pin', params)),
		onRequest(protocol.recorderRead, read, (params) => recorder.ask('read', params)),
		onRequest(protocol.recorderForget, forget, (params) => {
			if ((params.recordingId === undefined) === (params.containing === undefined)) {
				throw new Failure('InvalidParams', 'expected either recordingId or containing');
			}
			return erase(params);
		}),
	];
}
