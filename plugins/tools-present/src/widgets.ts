import type { JsonObject, Widget } from '@amodal/sdk'

const text = { type: 'string' }
const cell = { type: ['string', 'number', 'boolean', 'null'] }
const tone = { enum: ['info', 'success', 'warning', 'error'] }
const list = (items: JsonObject): JsonObject => ({ type: 'array', items })
const object = (properties: JsonObject, required: readonly string[]): JsonObject => ({
  type: 'object',
  properties,
  required,
})

function widget(type: string, properties: JsonObject, required: readonly string[]): Widget {
  return { type, schema: object(properties, required) }
}

/**
 * The widgets every client of this format draws. A plugin adds its own to the `Widgets` registry.
 */
export const WIDGETS: readonly Widget[] = [
  widget('info-card', { title: text, body: text, severity: tone }, ['title']),
  widget(
    'data-table',
    {
      title: text,
      columns: list(text),
      rows: list({ anyOf: [list(cell), { type: 'object', additionalProperties: cell }] }),
    },
    ['columns', 'rows'],
  ),
  widget('metric', { label: text, value: cell, unit: text, change: text }, ['label', 'value']),
  widget(
    'entity-card',
    { title: text, subtitle: text, fields: { type: 'object', additionalProperties: cell } },
    ['title'],
  ),
  widget(
    'timeline',
    {
      title: text,
      events: list(object({ time: text, title: text, description: text, status: tone }, ['title'])),
    },
    ['events'],
  ),
]
