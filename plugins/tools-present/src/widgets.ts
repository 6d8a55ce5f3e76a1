import type { JsonObject, Widget } from '@amodal/sdk'

const text = { type: 'string' }
const cell = { type: ['string', 'number', 'boolean', 'null'] }

function widget(type: string, properties: JsonObject, required: readonly string[]): Widget {
  return { type, schema: { type: 'object', properties, required } }
}

/** The widgets every client of this format draws. A plugin adds its own to the `Widgets` registry. */
export const WIDGETS: readonly Widget[] = [
  widget('info-card', { title: text, body: text, severity: { enum: ['info', 'success', 'warning', 'error'] } }, ['title']),
  widget('data-table', { title: text, columns: { type: 'array', items: text }, rows: { type: 'array', items: { type: 'array', items: cell } } }, ['columns', 'rows']),
  widget('metric', { label: text, value: cell, unit: text, change: text }, ['label', 'value']),
  widget('entity-card', { title: text, subtitle: text, fields: { type: 'object' } }, ['title']),
]
