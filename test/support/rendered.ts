import type {
	FormatAdapter,
	RenderEntry,
	RenderOptions,
	RenderResult,
} from '../../server/core/format/wire/adapter.ts';
import { finish } from '../../server/core/slices.ts';

/** Returns a history rendered in a format, without pauses. */
export function rendered(
	adapter: FormatAdapter,
	entries: readonly RenderEntry[],
	options?: RenderOptions,
): RenderResult {
	return finish(adapter.render(entries, options));
}
