import { isObject, type Clock, type JsonObject } from '@amodal/sdk'
import type { Inventory } from '@amodal/sdk/inspection'
import { declarationOf, type StateProperty } from './declaration.ts'
import { evaluate, type ExpressionInputs } from './expressions.ts'
import { valuesOf } from './stored-state.ts'
import { viewOf } from './view.ts'

/** The properties of the state, for whoever may see them. */
export const stateInventory: Inventory = {
  title: 'State',
  items(bundle, roles) {
    const declaration = declarationOf(bundle)
    if (!declaration) return []
    const properties =
      roles === undefined ? declaration.properties : viewOf(declaration, roles).properties
    return properties.map((property) => ({
      name: property.name,
      about: aboutOf(property),
      facts: {
        visibility: property.visibility,
        write: property.write,
        default: property.default,
        schema: property.schema,
      },
    }))
  },
}

const aboutOf = ({ schema, visibility, write, default: initial }: StateProperty): string => {
  const who = typeof visibility === 'string' ? visibility : visibility.roles.join(', ')
  const type = typeof schema['type'] === 'string' ? schema['type'] : 'any value'
  return `${type}, ${who}, written by ${write.join(', ') || 'nobody'}; first ${JSON.stringify(initial)}`
}

/**
 * The expressions, with what each reads and gives: on a new session, for a principal without roles.
 *
 * @param clock the time that `now` stands for
 */
export const expressionInventory = (clock: Clock): Inventory => ({
  title: 'Expressions',
  items(bundle, roles) {
    const declaration = roles === undefined ? declarationOf(bundle) : undefined
    if (!declaration) return []
    const { expressions, properties } = declaration
    const inputs: ExpressionInputs = {
      state: valuesOf({}, properties),
      principal: { id: 'somebody', roles: [], tenant: 'default' },
      now: clock.now(),
    }
    const { failed, ...values } = evaluate(expressions, properties, inputs)
    return Object.entries(expressions).flatMap(([name, expression]) => {
      if (typeof expression !== 'string') return []
      const value = Object.entries(values).find(([one]) => one === name)?.[1]
      const problem = failed.find((one) => one.name === name)?.message
      return [
        {
          name,
          about: `${expression}  gives ${problem ?? JSON.stringify(value)} on a new session`,
          facts: {
            expression,
            inputs: namedInputs(expression, inputs),
            value: value ?? null,
            problem: problem ?? null,
          },
        },
      ]
    })
  },
})

/** The inputs that an expression names, with their values. */
function namedInputs(expression: string, { state, principal, now }: ExpressionInputs): JsonObject {
  const known: JsonObject = { state, principal: { ...principal }, now: new Date(now).toISOString() }
  const named = expression.matchAll(/\b(state|principal|now)\b(?:\.([A-Za-z_]\w*))?/g)
  return Object.fromEntries(
    [...named].map(([, variable = '', name]) => {
      const value = known[variable] ?? null
      const isMember = isObject(value) && name !== undefined && Object.hasOwn(value, name)
      return isMember ? [`${variable}.${name}`, value[name] ?? null] : [variable, value]
    }),
  )
}
