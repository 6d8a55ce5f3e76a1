import { isList } from '@amodal/sdk'
import type { Stub, StubAnswer, StubOutcome } from '../definition.ts'
import type { Part } from './part.ts'

/**
 * Reads what stands in for tools, by their names. One answer without a list repeats; the members of
 * a list answer once each, but those with `repeat: true`.
 *
 * @example
 * readStubs(part) // of `request: { result: [] }`: { request: { kind: 'answers', … } }
 */
export function readStubs(part: Part): Readonly<Record<string, Stub>> {
  return Object.fromEntries(
    (part.entries() ?? []).flatMap(([tool, value]) => {
      const stub = value.value === null ? undefined : readStub(value)
      return stub ? [[tool, stub] as const] : []
    }),
  )
}

function readStub(part: Part): Stub | undefined {
  const { value } = part
  if (value === 'real') return { kind: 'real' }
  if (!isList(value)) {
    if (typeof value === 'string') return part.error(`${part.label} cannot be "${value}"`, FIX)
    const answer = readAnswer(part, true)
    return answer && { kind: 'answers', answers: [answer] }
  }
  if (value.length === 0) return part.error(`${part.label} is empty`, FIX)
  const answers = (part.items() ?? []).flatMap((item) => readAnswer(item, false) ?? [])
  return answers.length === value.length ? { kind: 'answers', answers } : undefined
}

const FIX = 'write `real`, `{ result: … }`, `{ error: … }` or a list of these'
const FIELDS = ['match', 'result', 'error', 'code', 'delay_ms', 'repeat'] as const

function readAnswer(part: Part, repeatsAlone: boolean): StubAnswer | undefined {
  const fields = part.fields(FIELDS)
  if (!fields) return undefined
  const outcome = readOutcome(part, fields)
  const [match, delay, repeat] = ['match', 'delay_ms', 'repeat'].map((name) => fields.get(name))
  const [args, delayMs, repeats] = [
    match?.object(),
    delay ? delay.amount() : 0,
    repeat ? repeat.flag() : repeatsAlone,
  ]
  const isMissing = match !== undefined && args === undefined
  if (!outcome || isMissing || delayMs === undefined || repeats === undefined) return undefined
  return { ...(args && { match: args }), outcome, delayMs, repeats }
}

function readOutcome(part: Part, fields: ReadonlyMap<string, Part>): StubOutcome | undefined {
  const [error, code] = [fields.get('error'), fields.get('code')]
  // A tool can have `null` for its result: there it is a value, and not left out.
  const result = part.object()?.['result']
  if (error && fields.has('result'))
    return part.error(`${part.label} has a result and an error`, 'keep one of them')
  if (error) {
    const message = error.text()
    const name = code?.text()
    if (message === undefined || (code && name === undefined)) return undefined
    return { kind: 'error', message, ...(name !== undefined && { code: name }) }
  }
  if (result === undefined) return part.error(`${part.label} has no result`, FIX)
  if (code) code.warn('`code` belongs to an error, and this is a result', 'remove it')
  return { kind: 'result', output: result }
}
