/** gpt-tokenizer's types name the DOM's class, which Node has as a value alone. */
declare global {
	interface TextDecoder extends InstanceType<typeof import('node:util').TextDecoder> {}
}

export {};
