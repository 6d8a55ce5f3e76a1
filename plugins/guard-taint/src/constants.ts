import { isList, isObject, type Json, type ToolDefinition } from '@amodal/sdk'
import { normal } from './normal.ts'

/** Values that a tool's own schema names: choosing among them is choosing what its author offers. */
export type Constants = ReadonlySet<string>

/** Of a schema, which a server may have made. */
const MOST_LEVELS = 100
const NAMES: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples'])

export function constantsOf({ parameters }: ToolDefinition): Constants {
  return new Set(constantsIn(parameters, false, 0))
}

function constantsIn(schema: Json | undefined, inside: boolean, level: number): readonly string[] {
  if (level > MOST_LEVELS) return []
  if (isList(schema)) return schema.flatMap((item) => constantsIn(item, inside, level + 1))
  if (isObject(schema)) return Object.entries(schema).flatMap(([key, item]) => constantsIn(item, inside || NAMES.has(key), level + 1))
  return inside && (typeof schema === 'string' || typeof schema === 'number') ? [normal(String(schema))] : []
}
