import { expect, it } from 'vitest';
import type { State } from '../../../server/core/history/state.ts';
import { createMirroredRewind } from '../../../server/session/transcript/steps.ts';

it('a rewind near the end of a transcript with many branches reads only the newest steps', () => {
	const branches = 10_000;
	const steps = Array.from({ length: branches }, (_, index) => {
		const no = index + 1;
		return { rowCount: no + 1, off: [], sheet: { no, lossy: false, patches: [{ from: no, to: no + 1 }] } };
	});
	let reads = 0;
	const counted = new Proxy(steps, {
		get(target, key) {
			if (typeof key === 'string' && /^\d+$/.test(key)) reads++;
			return Reflect.get(target, key);
		},
	});
	const rows = { length: branches + 2 };
	const active = new Set(steps.map(({ sheet }) => sheet.no));
	const state = { rows, steps: counted, active } as unknown as State;
	const step = createMirroredRewind(state, branches + 1, { removedLayers: [], retainedLayers: new Set() }, 0);
	expect(step).toMatchObject({ off: [], sheet: { patches: [{ from: branches + 1, to: branches + 2 }] } });
	expect(reads).toBeLessThan(10);
});
