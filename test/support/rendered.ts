import type {
	FormatAdapter,
	RenderEntry,
	RenderOptions,
	RenderResult,
} from '../../server/core/format/wire/adapter.ts';
import { finish } from '../../server/core/slices.ts';

/** A history in a format, rendered in one go. */
export function rendered(
	adapter: FormatAdapter,
	entries: readonly RenderEntry[],
	options?: RenderOptions,
): RenderResult {
	return finish(adapter.render(entries, options));
}
