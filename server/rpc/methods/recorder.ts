import * as z from 'zod/mini';
import { Failure } from '../../core/failure.ts';
import { toSlashedPath } from '../../core/files/folder.ts';
import * as protocol from '../../protocol/recorder.ts';
import { onRequest, type RequestMethod } from '../call/define.ts';
import { objectSchema } from '../call/object.ts';
import * as shapes from './shapes.ts';

/** Sends requests to the recorder of the daemon. */
export interface RecorderPort {
	/** Calls a method in the recorder's thread; rejects if that method fails. */
	ask<Result>(method: string, params: object): Promise<Result>;
}

const noParams = objectSchema({});

const settingsParams = objectSchema({
	recording: shapes.flagSchema,
	maxBytes: z.optional(z.int().check(z.minimum(1 << 20))),
	maxDays: z.optional(z.int().check(z.minimum(1), z.maximum(36_500))),
	excludedFolders: shapes.textsSchema,
});

const nonEmptyText = z.string().check(z.minLength(1));
const sessionsParams = objectSchema({
	workspace: shapes.textSchema,
	agent: shapes.textSchema,
	since: z.optional(z.number()),
	limit: z.optional(z.int().check(z.minimum(1), z.maximum(10_000))),
	parent: z.optional(nonEmptyText),
});

const pinParams = objectSchema({ recordingId: nonEmptyText, pinned: z.boolean() });
const readParams = objectSchema({
	recording: nonEmptyText,
	fromSeq: z.optional(z.int().check(z.nonnegative())),
});
const forgetParams = objectSchema({
	recordingId: z.optional(nonEmptyText),
	containing: z.optional(nonEmptyText),
	dryRun: shapes.flagSchema,
});

const neighbourCount = z.optional(z.int().check(z.minimum(0), z.maximum(50)));
const textUnits = z.optional(z.int().check(z.nonnegative()));
const messagesParams = objectSchema({
	recordingId: nonEmptyText,
	messageId: nonEmptyText,
	before: neighbourCount,
	after: neighbourCount,
	offset: textUnits,
	limit: textUnits,
});

/** Recorder port of a process without a recorder; every call fails. */
export const noRecorder: RecorderPort = {
	ask: () =>
		Promise.reject(
			new Failure('StorageFailed', 'only the daemon records sessions: this process works without one'),
		),
};

/** What the methods under `recorder/` need in addition to the recorder. */
export interface RecorderContext {
	/** The client's variables, which may name folders of agents. */
	environment: Readonly<Record<string, string | undefined>>;
	/** Erases recordings and all other copies of them in the state folder. */
	forget(params: protocol.RecorderForgetParams): Promise<protocol.RecorderForgetResult>;
}

export function createRecorderMethods(
	recorder: RecorderPort,
	{ environment, forget: erase }: RecorderContext,
): RequestMethod[] {
	return [
		onRequest(protocol.recorderStatus, noParams, () => recorder.ask('status', {})),
		onRequest(protocol.recorderSet, settingsParams, (params) =>
			recorder.ask('set', { ...params, environment }),
		),
		onRequest(protocol.recorderSessions, sessionsParams, async ({ workspace, ...params }) => {
			const folder = workspace === undefined ? undefined : (toSlashedPath(workspace) ?? workspace);
			return { sessions: await recorder.ask('sessions', { ...params, folder }) };
		}),
		onRequest(protocol.recorderMessages, messagesParams, (params) => recorder.ask('messages', params)),
		onRequest(protocol.recorderPin, pinParams, (params) => recorder.ask('pin', params)),
		onRequest(protocol.recorderRead, readParams, (params) => recorder.ask('read', params)),
		onRequest(protocol.recorderForget, forgetParams, (params) => {
			if ((params.recordingId === undefined) === (params.containing === undefined))
				throw new Failure('InvalidParams', 'expected either recordingId or containing');
			return erase(params);
		}),
	];
}
