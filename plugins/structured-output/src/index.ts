import { definePlugin, type ModelCall } from '@amodal/sdk'
import { checkedSource } from './checked-model.ts'
import { ResponseMismatch } from './errors.ts'
import { formatOf, jsonIn, responseFormats, type CheckedFormat } from './format.ts'
import { ResponseFormats } from './tokens.ts'

/** Providers whose interface takes a JSON Schema; others read it in the system prompt. */
const NATIVE: ReadonlySet<string> = new Set([
  'openai',
  'anthropic',
  'google',
  'vertex',
  'azure',
  'xai',
  'groq',
])

/**
 * Answers as JSON that fits a JSON Schema of the request: sent to the provider, checked, repaired
 * by the model once, and an error with the paths otherwise.
 */
export const structuredOutput = definePlugin({
  name: 'structured-output',
  version: '0.1.0',
  provides: [ResponseFormats],
  errors: [ResponseMismatch],
  setup({ hooks, provide }) {
    provide(ResponseFormats, () => responseFormats)
    hooks.model.call.tap((call, ctx) => {
      const format = call.aside ? undefined : formatOf(ctx)
      return format && withFormat(call, format)
    })
    hooks.model.open.tap(
      (source, call, ctx) => {
        const format = call.aside ? undefined : formatOf(ctx)
        return format && checkedSource(source, format)
      },
      { stage: 'late' },
    )
    hooks.state.leave.streaming.tap((exit, _state, ctx) => {
      const { to, entries } = exit
      const format = formatOf(ctx)
      if (!format || to.kind !== 'done' || to.reason !== 'model_stop') return undefined
      const reply = entries.findLast((entry) => entry.kind === 'model_reply')
      const json = jsonIn(reply?.text ?? '', format)
      if (json.ok) return undefined
      const { code, message } = ResponseMismatch(
        `the answer does not fit the JSON Schema of the request: ${json.error}`,
      )
      return { to: { kind: 'done', reason: 'error', error: { code, message } }, entries }
    })
  },
})

function withFormat(call: ModelCall, { schema, name }: CheckedFormat): ModelCall {
  const settings = { ...call.settings, responseFormat: { type: 'json' as const, name, schema } }
  if (NATIVE.has(call.config.provider)) return { ...call, settings }
  const instruction = `Your final answer must be one JSON value that fits this JSON Schema, without any other text: ${JSON.stringify(schema)}`
  const system = call.system === '' ? instruction : `${call.system}\n\n${instruction}`
  return { ...call, settings, system }
}

export default structuredOutput
