import type { Inventory } from '@amodal/sdk/inspection'
import { declarationOf, type StateField } from './declaration.ts'
import { evaluate } from './expressions.ts'
import { viewOf } from './view.ts'

/** The fields of the state, for whoever may see them. */
export const stateInventory: Inventory = {
  title: 'State',
  items(bundle, roles) {
    const declaration = declarationOf(bundle)
    if (!declaration) return []
    const fields = roles === undefined ? declaration.fields : viewOf(declaration, roles).fields
    return fields.map((field) => ({
      name: field.name,
      about: aboutOf(field),
      facts: {
        visible: field.visible,
        write: field.write,
        default: field.default,
        schema: field.schema,
      },
    }))
  },
}

const aboutOf = ({ schema, visible, write, default: initial }: StateField): string => {
  const who = typeof visible === 'string' ? visible : visible.join(', ')
  const type = typeof schema['type'] === 'string' ? schema['type'] : 'any value'
  return `${type}, ${who}, written by ${write.join(', ') || 'nobody'}; first ${JSON.stringify(initial)}`
}

/** The expressions, with what they give on a new session. */
export const expressionInventory: Inventory = {
  title: 'Expressions',
  items(bundle, roles) {
    const declaration = roles === undefined ? declarationOf(bundle) : undefined
    if (!declaration) return []
    const { expressions, fields } = declaration
    const { failed, ...gave } = evaluate(expressions, fields, {})
    return Object.entries(expressions).flatMap(([name, expression]) => {
      if (typeof expression !== 'string') return []
      const value = Object.entries(gave).find(([one]) => one === name)?.[1]
      const problem = failed.find((one) => one.name === name)?.message
      return [
        {
          name,
          about: `${expression}  gives ${problem ?? JSON.stringify(value)} on a new session`,
          facts: { expression, value: value ?? null, problem: problem ?? null },
        },
      ]
    })
  },
}
