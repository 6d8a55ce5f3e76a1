import { defineTool, type ToolDefinition, type Widget } from '@amodal/sdk'
import { jsonValue } from '@amodal/sdk/data'
import { z } from 'zod'

/** Problems of one widget that are reported to the model at once. */
const MOST_PROBLEMS = 5

/** Draws a widget in the client, beside the text. */
export function present(widgets: ReadonlyMap<string, Widget>): ToolDefinition {
  const types = [...widgets.keys()]
  const shapes = [...widgets.values()]
    .map(({ type, schema }) => `${type}: ${JSON.stringify(schema)}`)
    .join('\n')
  const checks = new Map([...widgets].map(([type, { schema }]) => [type, z.fromJSONSchema(schema)]))
  return defineTool({
    name: 'present',
    description: `Shows the person a widget, drawn in place. Shapes of \`data\` by \`widget_type\`:\n${shapes}`,
    readOnly: true,
    runningLabel: 'Preparing a view',
    completedLabel: 'Shown',
    input: z.object({
      widget_type: z.enum(types).describe('What to draw'),
      data: z.record(z.string(), jsonValue).describe('Its content, in the shape of that widget'),
    }),
    execute: async ({ widget_type, data }) => {
      const checked = checks.get(widget_type)?.safeParse(data)
      if (checked?.success === false)
        return { status: 'error', message: `${widget_type}: ${problemsOf(checked.error)}` }
      return {
        status: 'success',
        output: { shown: widget_type },
        events: [{ type: 'widget', widget_type, data }],
      }
    },
  })
}

const problemsOf = ({ issues }: z.ZodError): string =>
  issues
    .slice(0, MOST_PROBLEMS)
    .map(({ path, message }) => `${['data', ...path.map(String)].join('.')}: ${message}`)
    .join('; ')
