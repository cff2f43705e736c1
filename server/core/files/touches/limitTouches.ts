import type { FileTouch } from './lineRange.ts';
import { maxPathBytes, maxTouchedPathUnits, maxTouchesPerCall } from './tuning.ts';

/**
 * Returns the touches without those beyond what one call may record (`maxTouchesPerCall`, `maxTouchedPathUnits`);
 * the same array if all are within. Older journals hold rows beyond these limits, so rows pass this when they are
 * read, too.
 */
export function limitTouches<Touch extends FileTouch>(touches: Touch[]): Touch[] {
	const calls = new Map<string, { count: number; units: number }>();
	const kept = touches.filter(({ callId, path }) => {
		const call = calls.get(callId) ?? { count: 0, units: 0 };
		calls.set(callId, call);
		call.count++;
		call.units += path.length;
		return (
			call.count <= maxTouchesPerCall && call.units <= maxTouchedPathUnits && path.length <= maxPathBytes
		);
	});
	return kept.length === touches.length ? touches : kept;
}
