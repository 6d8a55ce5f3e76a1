import { isList, isObject, type Json, type ToolDefinition } from '@amodal/sdk'
import { normal } from './normal.ts'

/**
 * Values that a tool's own schema names: choosing among them is choosing what its author offers.
 */
export interface Constants {
  readonly offered: ReadonlySet<string>
  /** Default values. */
  readonly defaults: ReadonlySet<string>
}

/** Of a schema, which a server may have made. */
const MOST_LEVELS = 100
const NAMES: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples'])
const DEFAULT: ReadonlySet<string> = new Set(['default', 'const'])

export function constantsOf({ parameters }: ToolDefinition): Constants {
  return {
    offered: new Set(valuesOf(parameters, NAMES)),
    defaults: new Set(valuesOf(parameters, DEFAULT)),
  }
}

function valuesOf(
  schema: Json | undefined,
  names: ReadonlySet<string>,
  inside = false,
  level = 0,
): readonly string[] {
  if (level > MOST_LEVELS) return []
  if (isList(schema)) return schema.flatMap((item) => valuesOf(item, names, inside, level + 1))
  if (isObject(schema))
    return Object.entries(schema).flatMap(([key, item]) =>
      valuesOf(item, names, inside || names.has(key), level + 1),
    )
  return inside && (typeof schema === 'string' || typeof schema === 'number')
    ? [normal(String(schema))]
    : []
}
