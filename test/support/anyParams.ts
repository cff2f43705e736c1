/** Params for every method of the contract, made at random: as its schema says, or odd. */

/** A number from 0 up to 1. */
type Random = () => number;

/** A JSON Schema, as far as that of the contract goes. */
export interface Schema {
	$ref?: string;
	type?: string | string[];
	enum?: unknown[];
	const?: unknown;
	anyOf?: Schema[];
	items?: Schema;
	properties?: Record<string, Schema>;
	required?: string[];
	additionalProperties?: Schema | boolean;
}

/** What is known of a running daemon, so that params can speak of it. */
export interface KnownThings {
	/** Values for members of that name. */
	[name: string]: readonly unknown[];
}

/** Values that a careless reader stumbles over. */
export const oddValues: readonly unknown[] = [
	null,
	true,
	'',
	'\ud800',
	'\0',
	'__proto__',
	'constructor',
	'../../../etc/passwd',
	'file:///%00',
	'\u202e\u2028\u0085',
	'x'.repeat(5000),
	' '.repeat(20_000),
	0,
	-1,
	1.5,
	2 ** 53,
	1e308,
	-1e308,
	[],
	[[]],
	[null],
	{},
	{ length: 1 },
	{ length: { toString: 1 } },
	{ toString: 1, valueOf: 1, toJSON: 1 },
	JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'),
	JSON.parse(`${'['.repeat(60)}${']'.repeat(60)}`),
];

const longest = 4;

/** Makes params by the definitions of a schema. */
export function anyParams(definitions: Record<string, Schema>, random: Random) {
	const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)];

	/** A value as a schema says; members that are not required are there half the time. */
	function made(schema: Schema, known: KnownThings, name = '', depth = 0): unknown {
		const things = known[name];
		if (things && things.length > 0 && random() < 0.9) return pick(things);
		if (schema.$ref) return made(definitions[schema.$ref.split('/').at(-1) ?? ''] ?? {}, known, name, depth);
		if (schema.const !== undefined) return schema.const;
		if (schema.enum) return pick(schema.enum);
		if (schema.anyOf) return made(pick(schema.anyOf) ?? {}, known, name, depth);
		const type = Array.isArray(schema.type) ? pick(schema.type) : schema.type;
		switch (type) {
			case 'object':
				return objectOf(schema, known, depth);
			case 'array':
				return Array.from({ length: Math.floor(random() * longest) }, () =>
					made(schema.items ?? {}, known, name.replace(/s$/, ''), depth + 1),
				);
			case 'string':
				return pick(['a word', 'Fix the parser. Never touch src/b.ts.', `word-${Math.floor(random() * 50)}`]);
			case 'number':
				return pick([0, 1, 7, 400, 3000, 20_000, random()]);
			case 'boolean':
				return random() < 0.5;
			case 'null':
				return null;
			default:
				return pick(oddValues);
		}
	}

	function objectOf(schema: Schema, known: KnownThings, depth: number): Record<string, unknown> {
		const members: Record<string, unknown> = {};
		for (const [key, member] of Object.entries(schema.properties ?? {})) {
			const isNeeded = schema.required?.includes(key) ?? false;
			if (isNeeded || (depth < 5 && random() < 0.4)) members[key] = made(member, known, key, depth + 1);
		}
		return members;
	}

	/** The value with one part of it, somewhere, replaced, left out or added. */
	function spoiled(value: unknown): unknown {
		if (typeof value !== 'object' || value === null || random() < 0.15) return pick(oddValues);
		if (Array.isArray(value)) {
			const index = Math.floor(random() * (value.length + 1));
			return [...value.slice(0, index), spoiled(value[index]), ...value.slice(index + 1)];
		}
		const key = pick([...Object.keys(value), 'another', 'target_tokens']) ?? '';
		const { [key]: member, ...rest } = value as Record<string, unknown>;
		return random() < 0.2 ? rest : { ...rest, [key]: spoiled(member) };
	}

	return { made, spoiled };
}

/** Where a value is not what a schema says, and how; undefined where it fits. */
export function misfit(
	definitions: Record<string, Schema>,
	schema: Schema,
	value: unknown,
	path = 'result',
): string | undefined {
	if (schema.$ref)
		return misfit(definitions, definitions[schema.$ref.split('/').at(-1) ?? ''] ?? {}, value, path);
	if (schema.anyOf) {
		const problems = schema.anyOf.map((one) => misfit(definitions, one, value, path));
		return problems.every((problem) => problem !== undefined) ? problems[0] : undefined;
	}
	if (schema.enum && !schema.enum.includes(value))
		return `${path}: ${JSON.stringify(value)} is none of its values`;
	if (schema.const !== undefined && schema.const !== value) return `${path}: it is not ${schema.const}`;
	const types = schema.type === undefined ? [] : [schema.type].flat();
	const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
	if (types.length > 0 && !types.includes(type)) return `${path}: it is ${type}, not ${types.join(' or ')}`;
	if (type === 'array' && schema.items) {
		return firstOf(
			(value as unknown[]).map((item, index) =>
				misfit(definitions, schema.items ?? {}, item, `${path}[${index}]`),
			),
		);
	}
	if (type !== 'object') return undefined;
	const members = value as Record<string, unknown>;
	const missing = schema.required?.find((key) => !(key in members));
	if (missing !== undefined) return `${path}.${missing}: it is missing`;
	return firstOf(
		Object.entries(schema.properties ?? {}).map(([key, member]) =>
			key in members ? misfit(definitions, member, members[key], `${path}.${key}`) : undefined,
		),
	);
}

function firstOf(problems: readonly (string | undefined)[]): string | undefined {
	return problems.find((problem) => problem !== undefined);
}
