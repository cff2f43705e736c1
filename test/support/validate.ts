import {
	type MessageReader,
	type ValidationOutcome,
	validateMessages as validation,
} from '../../server/core/format/validity/validate.ts';
import { runToEnd } from '../../server/core/slices.ts';

/** Returns whether a reader accepts the messages, and where they break its rules. */
export function validate(messages: readonly unknown[], reader: MessageReader): ValidationOutcome {
	return runToEnd(validation(messages, reader));
}
