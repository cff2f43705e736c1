import { expect, it } from 'vitest';
import { isCancelled, isDaemonLost } from '../../client-vscode/src/daemon/failures.ts';

const failed = (message: string, code?: unknown) => Object.assign(new Error(message), { code });

it.each([
	['a pending answer', failed('Pending response rejected since connection got disposed', -32097)],
	['a stream that is gone', failed('Cannot call write after a stream was destroyed', 'ERR_STREAM_DESTROYED')],
	['a closed connection', failed('Connection is closed.', 1)],
])('%s is an error of a daemon that has ended', (_, error) => {
	expect(isDaemonLost(error)).toBe(true);
});

it.each([
	['an error of the daemon', failed('there is nothing to undo in this session', -31998)],
	['a cancelled request', failed('cancelled', -32800)],
	['no error at all', 'Connection is closed.'],
])('%s is not an error of a daemon that has ended', (_, error) => {
	expect(isDaemonLost(error)).toBe(false);
});

it('isCancelled recognizes a cancelled request', () => {
	expect(isCancelled(failed('cancelled', -32800))).toBe(true);
});
