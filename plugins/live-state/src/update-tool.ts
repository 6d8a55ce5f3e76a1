import { err, ok, type AgentBundle, type ToolDefinition } from '@amodal/sdk'
import { declarationOf, type Declaration } from './declaration.ts'
import { staged } from './stored-state.ts'
import { allowed, writtenBy } from './rules.ts'

/** The tool with which the model changes properties that are open for it; none where none is. */
export function updateTools(bundle: AgentBundle): readonly ToolDefinition[] {
  const declaration = declarationOf(bundle)
  return declaration && writtenBy('model', declaration).length > 0 ? [updateState(declaration)] : []
}

function updateState(declaration: Declaration): ToolDefinition {
  const open = writtenBy('model', declaration)
  return {
    name: 'update_state',
    description:
      'Changes properties of the state of this conversation. What you leave out stays as it is. The change counts when this turn has ended well.',
    parameters: {
      type: 'object',
      properties: Object.fromEntries(
        open.map(({ name, schema, description }) => [
          name,
          description === '' ? schema : { ...schema, description },
        ]),
      ),
      additionalProperties: false,
      minProperties: 1,
    },
    parse: (args) => {
      const may = allowed(args, 'model', open)
      return may.ok ? ok(args) : err(may.error.message)
    },
    readOnly: false,
    keyed: true,
    internal: true,
    // What expressions make of the state instructs the model: nobody's text gets there unasked.
    ...(isShown(declaration) ? {} : { taint: 'ignore' as const }),
    execute: async (args, { run }) => ({
      status: 'success',
      output: 'Kept: it counts once this turn has ended well.',
      sessionState: staged(run, args),
    }),
  }
}

const isShown = ({ expressions }: Declaration): boolean =>
  Object.values(expressions).some((one) => one !== null)
