import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider'
import { tool } from './agent.ts'

/**
 * Tools as plugins of an agent bring them: stores, a service of its own, and those that steer a
 * turn.
 */
export const TOOLS: LanguageModelV4FunctionTool[] = [
  tool(
    'query_store',
    'Reads documents of a store: one by its key, or a list with filters.',
    {
      store: {
        type: 'string',
        enum: ['deals', 'deal-notes', 'tickets'],
        description: 'Which store',
      },
      key: { type: 'string', description: 'Key of one document' },
      filter: { type: 'object', additionalProperties: {}, description: 'Field to value' },
      sort: { type: 'string', description: 'Field to sort by, with - in front for descending' },
      limit: { type: 'integer', minimum: 1, maximum: 100, description: 'How many' },
    },
    ['store'],
  ),
  tool(
    'store_deals',
    'Stores one deal.',
    {
      deal_id: { type: 'string' },
      name: { type: 'string' },
      amount: { type: 'number', minimum: 0 },
      stage: { type: 'string', enum: ['open', 'won', 'lost'] },
      close_date: { type: ['string', 'null'], format: 'date-time' },
    },
    ['deal_id', 'name', 'amount', 'stage'],
  ),
  tool(
    'store_deals_batch',
    'Stores up to 100 deals at once.',
    {
      items: {
        type: 'array',
        items: { type: 'object', properties: { deal_id: { type: 'string' } } },
      },
    },
    ['items'],
  ),
  tool(
    'store_tickets',
    'Stores one ticket.',
    {
      ticket_id: { type: 'string' },
      title: { type: 'string' },
      severity: { type: 'string', enum: ['P1', 'P2'] },
      urgent: { type: 'boolean' },
      tags: { type: 'array', items: { type: 'string' } },
      due: { type: 'string', format: 'date' },
    },
    ['ticket_id', 'title', 'severity'],
  ),
  tool(
    'get_weather',
    'Gets the weather of a city.',
    { city: { type: 'string' }, unit: { type: 'string', enum: ['celsius', 'fahrenheit'] } },
    ['city'],
  ),
  tool(
    'deploy_service',
    'Deploys a service.',
    {
      service: { type: 'string' },
      environment: { type: 'string', enum: ['staging', 'production'] },
    },
    ['service', 'environment'],
  ),
  tool(
    'present',
    'Shows the person a widget, drawn in place.',
    {
      widget_type: { type: 'string', enum: ['info-card', 'data-table'] },
      data: { type: 'object', additionalProperties: {} },
    },
    ['widget_type', 'data'],
  ),
  tool(
    'stop_execution',
    'Ends this turn now. Use it when the task is done and nothing more is to be said.',
    { reason: { type: 'string' } },
  ),
  tool(
    'ask_user',
    'Asks the person one question and waits for the answer.',
    { question: { type: 'string' } },
    ['question'],
  ),
]

export const TEXTS = `You are an assistant for sales.

# Knowledge

## Refunds

Refunds are granted within 30 days of purchase.

## On call

Escalate P1 tickets to the lead of the rota within 15 minutes.

## Holidays

Everybody has 28 days of vacation a year.`

/** Documents as a store answers them. */
export const DEALS = {
  store: 'deals',
  total: 3,
  has_more: false,
  documents: [
    {
      key: 'd-1',
      version: 2,
      payload: { deal_id: 'd-1', name: 'Acme renewal', amount: 5000, stage: 'open' },
    },
    {
      key: 'd-2',
      version: 1,
      payload: { deal_id: 'd-2', name: 'Beta', amount: 700, stage: 'won' },
    },
    {
      key: 'd-3',
      version: 1,
      payload: { deal_id: 'd-3', name: 'Gamma | Sons', amount: 90, stage: 'open' },
    },
  ],
}
