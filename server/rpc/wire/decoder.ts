import type { Framing } from '../../protocol/capabilities.ts';
import { createContentLengthDecoder } from './contentLength.ts';
import type { FrameDecoder, FrameLimits, FrameSink } from './frames.ts';
import { createLineDecoder } from './lines.ts';

/** Returns the decoder of a framing. */
export function createDecoder(framing: Framing, limits: FrameLimits, sink: FrameSink): FrameDecoder {
	return framing === 'ndjson' ? createLineDecoder(limits, sink) : createContentLengthDecoder(limits, sink);
}
