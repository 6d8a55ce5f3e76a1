import { err, ok, type Json, type Result } from '@amodal/sdk'
import type { Expression, ObjectExpression, Property } from 'acorn'

/** What of an expression is no literal, and where it starts. */
export interface NotLiteral {
  readonly message: string
  /** Offset in the source. */
  readonly at: number
}

/** Paths such as `stores.0` with the offset of what stands there. */
export type Offsets = Map<string, number>

/**
 * Evaluates a literal without running it: texts, numbers, booleans, `null`, lists and objects of
 * these.
 *
 * @param offsets receives the offset of each value by its path
 */
export function literalOf(
  node: Expression,
  offsets: Offsets,
  path: readonly string[] = [],
): Result<Json, NotLiteral> {
  offsets.set(path.join('.'), node.start)
  const not = (what: string): Result<never, NotLiteral> =>
    err({ message: `${nameOf(path)} is ${what}, and is read without running it`, at: node.start })
  switch (node.type) {
    case 'Literal':
      return isPlain(node.value) ? ok(node.value) : not('a pattern or a big integer')
    case 'TemplateLiteral': {
      const [text] = node.quasis
      return node.expressions.length === 0 && typeof text?.value.cooked === 'string'
        ? ok(text.value.cooked)
        : not('a text with expressions in it')
    }
    case 'UnaryExpression':
      return node.operator === '-' &&
        node.argument.type === 'Literal' &&
        typeof node.argument.value === 'number'
        ? ok(-node.argument.value)
        : not('computed')
    case 'ArrayExpression': {
      const values: Json[] = []
      for (const [index, element] of node.elements.entries()) {
        if (element === null || element.type === 'SpreadElement') return not('computed')
        const value = literalOf(element, offsets, [...path, String(index)])
        if (!value.ok) return value
        values.push(value.value)
      }
      return ok(values)
    }
    case 'ObjectExpression':
      return objectOf(node, offsets, path)
    default:
      return not('computed')
  }
}

function objectOf(
  node: ObjectExpression,
  offsets: Offsets,
  path: readonly string[],
): Result<Json, NotLiteral> {
  const fields = new Map<string, Json>()
  for (const property of node.properties) {
    const name = property.type === 'Property' ? keyOf(property) : undefined
    if (property.type !== 'Property' || name === undefined || property.kind !== 'init')
      return err({
        message: `${nameOf(path)} has a computed field, and is read without running it`,
        at: property.start,
      })
    const value = literalOf(property.value, offsets, [...path, name])
    if (!value.ok) return value
    fields.set(name, value.value)
  }
  return ok(Object.fromEntries(fields))
}

function keyOf({ key, computed }: Property): string | undefined {
  if (computed) return undefined
  if (key.type === 'Identifier') return key.name
  return key.type === 'Literal' ? String(key.value) : undefined
}

const nameOf = (path: readonly string[]): string => `\`${['page', ...path].join('.')}\``

const isPlain = (value: unknown): value is string | number | boolean | null =>
  value === null ||
  typeof value === 'string' ||
  typeof value === 'number' ||
  typeof value === 'boolean'
