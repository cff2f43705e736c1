import type {
	FormatAdapter,
	RenderEntry,
	RenderOptions,
	RenderResult,
} from '../../server/core/format/wire/adapter.ts';
import { runToEnd } from '../../server/core/slices.ts';

/** Returns a history rendered in a format, without pauses. */
export function rendered(
	adapter: FormatAdapter,
	entries: readonly RenderEntry[],
	options?: RenderOptions,
): RenderResult {
	return runToEnd(adapter.render(entries, options));
}
