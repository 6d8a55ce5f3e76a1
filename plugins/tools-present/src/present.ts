import { defineTool, type Json, type ToolDefinition, type Widget } from '@amodal/sdk'
import { z } from 'zod'

/** Draws a widget in the client, beside the text. */
export function present(widgets: ReadonlyMap<string, Widget>): ToolDefinition {
  const types = [...widgets.keys()]
  const shapes = [...widgets.values()].map(({ type, schema }) => `${type}: ${JSON.stringify(schema)}`).join('\n')
  return defineTool({
    name: 'present',
    description: `Shows the person a widget, drawn in place. Shapes of \`data\` by \`widget_type\`:\n${shapes}`,
    readOnly: true,
    runningLabel: 'Preparing a view',
    completedLabel: 'Shown',
    input: z.object({
      widget_type: z.enum(types).describe('What to draw'),
      data: z.record(z.string(), z.json()).describe('Its content, in the shape of that widget'),
    }),
    execute: async ({ widget_type, data }) => {
      const missing = missingFields(widgets.get(widget_type), data)
      if (missing.length > 0) return { status: 'error', message: `${widget_type} needs ${missing.join(', ')} in \`data\`.` }
      return { status: 'success', output: { shown: widget_type }, events: [{ type: 'widget', widget_type, data }] }
    },
  })
}

function missingFields(widget: Widget | undefined, data: Readonly<Record<string, Json>>): readonly string[] {
  const required = widget?.schema['required']
  return Array.isArray(required) ? required.filter((name): name is string => typeof name === 'string' && data[name] === undefined) : []
}
