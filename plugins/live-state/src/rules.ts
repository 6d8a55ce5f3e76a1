import { err, ok, type Failure, type JsonObject, type Result } from '@amodal/sdk'
import type { Declaration, StateField, Writer } from './declaration.ts'
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
 * @param seen the fields that the writer knows of: others are as unknown as those that are not
 *   there
 */
export function allowed(
  changes: JsonObject,
  writer: Writer,
  seen: readonly StateField[],
): Result<JsonObject, Failure> {
  return checked(changes, seen, (field) =>
    field.write.includes(writer)
      ? undefined
      : `is not written by ${WHO[writer]}, but by ${field.write.map((one) => WHO[one]).join(', ') || 'nobody'}`,
  )
}

/** Whether values are of fields that there are, and fit. */
export const fitting = (
  values: JsonObject,
  fields: readonly StateField[],
): Result<JsonObject, Failure> => checked(values, fields, () => undefined)

function checked(
  changes: JsonObject,
  fields: readonly StateField[],
  barred: (field: StateField) => string | undefined,
): Result<JsonObject, Failure> {
  for (const [name, value] of Object.entries(changes)) {
    const field = fields.find((one) => one.name === name)
    if (!field)
      return err(
        StateRefused(
          `state.${name}: there is no such field; there are ${fields.map((one) => one.name).join(', ') || 'none'}`,
        ),
      )
    const problem = barred(field) ?? misfitOf(field.schema, value)
    if (problem !== undefined) return err(StateRefused(`state.${name}: ${problem}`))
  }
  return ok(changes)
}

/** Fields that somebody may write. */
export const writtenBy = (writer: Writer, { fields }: Declaration): readonly StateField[] =>
  fields.filter(({ write }) => write.includes(writer))
