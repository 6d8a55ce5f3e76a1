import { err, ok, type Failure, type JsonObject, type Result } from '@amodal/sdk'
import type { Declaration, StateProperty, Writer } from './declaration.ts'
import { StateRefused } from './errors.ts'
import { misfitOf } from './schema.ts'

const WHO: Readonly<Record<Writer, string>> = {
  model: 'the model',
  tools: 'tools',
  api: 'the API',
}

/**
 * Whether changes are open for whoever makes them, and fit.
 *
 * @param seen the properties that the writer knows of: others are as unknown as those that are not
 *   there
 */
export function allowed(
  changes: JsonObject,
  writer: Writer,
  seen: readonly StateProperty[],
): Result<JsonObject, Failure> {
  return checked(changes, seen, (property) =>
    property.write.includes(writer)
      ? undefined
      : `is not written by ${WHO[writer]}, but by ${property.write.map((one) => WHO[one]).join(', ') || 'nobody'}`,
  )
}

/** Whether values are of properties that there are, and fit. */
export const fitting = (
  values: JsonObject,
  properties: readonly StateProperty[],
): Result<JsonObject, Failure> => checked(values, properties, () => undefined)

function checked(
  changes: JsonObject,
  properties: readonly StateProperty[],
  barred: (property: StateProperty) => string | undefined,
): Result<JsonObject, Failure> {
  for (const [name, value] of Object.entries(changes)) {
    const property = properties.find((one) => one.name === name)
    if (!property)
      return err(
        StateRefused(
          `state.${name}: there is no such property; there are ${properties.map((one) => one.name).join(', ') || 'none'}`,
        ),
      )
    const problem = barred(property) ?? misfitOf(property.schema, value)
    if (problem !== undefined) return err(StateRefused(`state.${name}: ${problem}`))
  }
  return ok(changes)
}

/** Fields that somebody may write. */
export const writtenBy = (writer: Writer, { properties }: Declaration): readonly StateProperty[] =>
  properties.filter(({ write }) => write.includes(writer))
