import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { findHolder } from '../../server/node/folderLock.ts';
import { readSuspendedTicks } from '../../server/node/processIdentity.ts';
import { SuspensionWatch } from '../../server/relay/suspensionWatch.ts';

vi.mock('../../server/node/folderLock.ts');
vi.mock('../../server/node/processIdentity.ts');

let isWaiting: boolean;
const refuseRequests = vi.fn<(text: string) => void>();
const reportSuspension = vi.fn<(text: string) => void>();
let watch: SuspensionWatch;

beforeEach(() => {
	vi.useFakeTimers();
	vi.mocked(findHolder).mockResolvedValue({ pid: 7, host: 'h', role: 'daemon', isElsewhere: false });
	isWaiting = true;
	watch = new SuspensionWatch({
		stateFolder: '/s',
		isWaiting: () => isWaiting,
		reportSuspension,
		refuseRequests,
	});
});

afterEach(() => {
	watch.stop();
	vi.useRealTimers();
	vi.resetAllMocks();
});

/** Lets each check find one of these processor times of a suspended daemon; undefined if the daemon runs. */
async function find(...ticks: (number | undefined)[]): Promise<void> {
	watch.start();
	for (const one of ticks) {
		vi.mocked(readSuspendedTicks).mockResolvedValue(one);
		await vi.advanceTimersByTimeAsync(1_000);
	}
}

it('a suspension watch gives up, with one reportSuspension, at the second check of a suspended daemon', async () => {
	await find(5);
	expect(refuseRequests).not.toHaveBeenCalled();
	await find(5, 5);
	expect(refuseRequests).toHaveBeenCalledTimes(2);
	expect(reportSuspension).toHaveBeenCalledTimes(1);
});

it('a suspension watch does not give up a daemon that is often suspended but runs in between', async () => {
	await find(5, 6, undefined, 6, 7, 8);
	expect(refuseRequests).not.toHaveBeenCalled();
	expect(reportSuspension).not.toHaveBeenCalled();
});

it('a suspension watch checks twice again after the daemon has shown that it runs', async () => {
	await find(5, 5);
	watch.reset();
	await find(5);
	expect(refuseRequests).toHaveBeenCalledTimes(1);
	await find(5);
	expect(refuseRequests).toHaveBeenCalledTimes(2);
});

it('a suspension watch checks twice again after a time in which nobody waited', async () => {
	await find(5);
	isWaiting = false;
	await find(5);
	isWaiting = true;
	await find(5);
	expect(refuseRequests).not.toHaveBeenCalled();
});

it('a suspension watch continues after a check failed', async () => {
	vi.mocked(findHolder).mockRejectedValueOnce(new Error('too many open files'));
	await find(5, 5, 5);
	expect(reportSuspension.mock.calls[0]).toEqual(['too many open files']);
	expect(refuseRequests).toHaveBeenCalledTimes(1);
});
