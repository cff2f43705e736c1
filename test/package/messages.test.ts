import { expect, it } from 'vitest';
import type {
	DaemonNotifications,
	DaemonRequests,
	Notifications,
	Requests,
} from '../../server/client/index.ts';
import * as contract from '../../server/protocol/index.ts';

type All<Methods> = { [Method in keyof Methods]: true };

/** The notifications that clients send, and two of their requests. The compiler requires that all are listed. */
const toDaemon: All<Pick<Requests, 'workspace/executeCommand' | 'context/stats'>> & All<Notifications> = {
	'context/stats': true,
	'workspace/executeCommand': true,
	'context/didReadFile': true,
	'workspace/didChangeConfiguration': true,
	'workspace/didChangeWatchedFiles': true,
	'workspace/didChangeWorkspaceFolders': true,
	'window/workDoneProgress/cancel': true,
	'$/setTrace': true,
};
/** The requests and notifications that the daemon sends. The compiler requires that all are listed. */
const toClient: All<DaemonRequests> & All<DaemonNotifications> = {
	'context/confirmCompaction': true,
	'context/summarize': true,
	'context/didChange': true,
	'context/didCompact': true,
	'context/didChangeFile': true,
	'window/logMessage': true,
	'window/showMessage': true,
	'window/showDocument': true,
	'$/logTrace': true,
	'$/progress': true,
};

it("the client's types give each message the sender that the contract gives it", () => {
	const declared = Object.values(contract).filter(
		(value) => typeof value === 'object' && 'direction' in value,
	);
	const methods = declared
		.filter(({ direction }) => direction === 'to the client')
		.map(({ method }) => method);
	expect(methods.sort()).toEqual(Object.keys(toClient).sort());
	const others = declared.filter(({ method }) => method in toDaemon);
	expect(others.map(({ direction }) => direction)).toEqual(Object.keys(toDaemon).map(() => 'to the daemon'));
});
