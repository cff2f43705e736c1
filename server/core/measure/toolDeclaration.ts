/** Tool definitions as GPT models read them: rewritten from JSON schema to type declarations. */

type Schema = Readonly<Record<string, unknown>>;

/** Schemas nest a few levels; deeper ones are recursive by mistake. */
const deepest = 32;

/** The declaration of a tool in OpenAI's shapes (or any with a name and a schema); nothing for another value. */
export function toolDeclaration(tool: unknown): string | undefined {
	if (!isSchema(tool)) return undefined;
	const definition = isSchema(tool.function) ? tool.function : tool;
	if (typeof definition.name !== 'string') return undefined;
	const parameters = definition.parameters ?? definition.input_schema ?? definition.inputSchema;
	const pieces: string[] = [];
	comment(definition.description, pieces);
	pieces.push(`type ${definition.name} = (`);
	if (isSchema(parameters) && isSchema(parameters.properties)) {
		pieces.push('_: ');
		writeType(parameters, deepest, pieces);
	}
	pieces.push(') => any;\n');
	return pieces.join('');
}

function writeType(schema: unknown, depth: number, pieces: string[]): void {
	if (!isSchema(schema) || depth === 0) {
		pieces.push('any');
		return;
	}
	const choices = schema.anyOf ?? schema.oneOf;
	if (Array.isArray(schema.enum)) pieces.push(schema.enum.map((value) => JSON.stringify(value)).join(' | '));
	else if (Array.isArray(choices)) {
		for (const [i, choice] of choices.entries()) {
			if (i > 0) pieces.push(' | ');
			writeType(choice, depth - 1, pieces);
		}
	} else if (isSchema(schema.properties)) writeObject(schema, schema.properties, depth, pieces);
	else if (schema.type === 'array') {
		writeType(schema.items, depth - 1, pieces);
		pieces.push('[]');
	} else if (Array.isArray(schema.type)) pieces.push(schema.type.join(' | '));
	else pieces.push(typeof schema.type === 'string' ? schema.type : 'any');
}

function writeObject(schema: Schema, properties: Schema, depth: number, pieces: string[]): void {
	const required = new Set(Array.isArray(schema.required) ? schema.required : []);
	pieces.push('{\n');
	for (const [name, property] of Object.entries(properties)) {
		if (isSchema(property)) comment(property.description, pieces);
		pieces.push(name, required.has(name) ? ': ' : '?: ');
		writeType(property, depth - 1, pieces);
		pieces.push(',');
		if (isSchema(property) && property.default !== undefined)
			pieces.push(` // default: ${JSON.stringify(property.default)}`);
		pieces.push('\n');
	}
	pieces.push('}');
}

function comment(description: unknown, pieces: string[]): void {
	if (typeof description === 'string' && description !== '')
		pieces.push('// ', description.replaceAll('\n', '\n// '), '\n');
}

function isSchema(value: unknown): value is Schema {
	return value !== null && typeof value === 'object' && !Array.isArray(value);
}
